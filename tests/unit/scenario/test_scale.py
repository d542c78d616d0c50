"""Scaling multiplies every time, nothing else, and keeps a scenario valid or refuses."""

import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from insync.errors import InputError
from insync.events.run_info import Bound
from insync.faults.registry import KINDS
from insync.fuzz.draw import Choices, draw
from insync.scenario.load import load, scale_times
from insync.scenario.model import Scenario
from insync.scenario.rules import LEAST_LAG_MS

CHOICES = Choices(arms=("stock", "request", "step-down"), kinds=tuple(KINDS))
scenarios = st.integers(0, 10**9).map(lambda seed: draw(seed, CHOICES))
"""Any scenario that `insync fuzz` draws: of every kind of fault and workload."""


def scale(scenario: Scenario, factor: float) -> Scenario:
    return Scenario.model_validate(scale_times(scenario.as_dict(), factor))


@given(scenarios)
def test_a_scenario_equals_its_json(scenario: Scenario) -> None:
    assert Scenario.model_validate(scenario.as_dict()) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json(by_alias=True)) == scenario


def assert_scaled(before: Any, after: Any, factor: float, key: str = "") -> None:
    """Compare two values under a key: times are multiplied, and all else is equal."""
    if isinstance(before, dict) and not key.endswith("_ms"):
        assert before.keys() == after.keys()
        for name in before.keys() - {"summary"}:
            assert_scaled(before[name], after[name], factor, name)
    elif isinstance(before, list):
        for one, other in zip(before, after, strict=True):
            assert_scaled(one, other, factor)
    elif key.endswith("_ms") and isinstance(before, int) and before:
        assert math.isclose(after, before * factor, abs_tol=1), key
    elif not isinstance(before, dict):
        assert after == before, key


@given(scenarios, st.floats(0.01, 10))
def test_times_are_multiplied_and_nothing_else_changes(scenario: Scenario, factor: float) -> None:
    try:
        scaled = scale(scenario, factor)
    except ValidationError:
        assert factor < 1, "a longer scenario keeps every rule"
        return
    assert_scaled(scenario.as_dict(), scaled.as_dict(), factor)


@given(st.integers(-(10**6), 10**6), st.floats(0.0001, 10))
def test_a_time_stays_above_or_below_zero(ms: int, factor: float) -> None:
    scaled = scale_times({"summary": "", "by_ms": ms}, factor)["by_ms"]
    assert (scaled > 0, scaled < 0) == (ms > 0, ms < 0)


@given(scenarios)
def test_a_factor_of_one_changes_nothing(scenario: Scenario) -> None:
    assert scale(scenario, 1.0) == scenario


def test_expectations_on_times_are_scaled_and_counts_are_not() -> None:
    raw = load("kip-501").as_dict()
    raw["expect"] = {"stock": {"max_ack_gap_ms": {"min": 1000.0}, "isr_shrinks": {"min": 1.0}}}
    scaled = scale(Scenario.model_validate(raw), 0.5).expect["stock"]
    assert (scaled["max_ack_gap_ms"].min, scaled["isr_shrinks"].min) == (500, 1)


@pytest.mark.parametrize(
    ("name", "factor", "words"),
    [
        ("kip-501", 0.15, "a leader's reads stall for 3.75 s: stock"),
        ("slow-disk-1000", 0.5, "takes 500 ms longer, for 10 s"),
        ("slow-link-10", 0.5, "sends 10 kB/s at most to each follower, for 10 s: a tenth"),
        ("burst", 2.0, "bursts of 4, 5 and 100 records to healthy"),
    ],
)
def test_the_summary_has_the_times_of_the_run(name: str, factor: float, words: str) -> None:
    assert words in load(name, factor).summary


def test_a_margin_is_not_scaled_and_is_part_of_the_judged_bound() -> None:
    raw = load("kip-501").as_dict()
    raw["expect"] = {"stock": {"max_ack_gap_ms": {"max": 2000.0, "margin": 1500.0}}}
    scaled = scale(Scenario.model_validate(raw), 0.2).expect["stock"]["max_ack_gap_ms"]
    assert (scaled.max, scaled.margin) == (400, 1500)
    assert Bound.model_validate(scaled.model_dump()) == Bound(max=1900)


@pytest.mark.parametrize("factor", [0.0, -1.0, math.nan, math.inf])
def test_a_factor_must_be_a_positive_number(factor: float) -> None:
    expected = "most 140" if factor == math.inf else "least 0.05"
    with pytest.raises(InputError, match=rf"scale .*: expected at {expected}$"):
        load("kip-501", factor)


@pytest.mark.parametrize("name", ["kip-501", "control", "transactions", "burst"])
def test_a_scale_that_is_refused_names_the_nearest_one_that_is_not(name: str) -> None:
    for refused, words in ((0.001, "smallest"), (100_000, "largest")):
        with pytest.raises(InputError) as caught:
            load(name, refused)
        found = re.search(rf"; the {words} scale is (\S+)$", str(caught.value))
        assert found is not None
        nearest = float(found[1])
        load(name, nearest)
        with pytest.raises(InputError):
            load(name, nearest * (0.9 if refused < 1 else 1.1))


def test_the_minimum_lag_limits_the_factor() -> None:
    assert load("kip-501", 0.05).broker.replica_lag_time_max_ms == LEAST_LAG_MS
    with pytest.raises(InputError, match=r"scale 0\.04: broker\.replica_lag_time_max_ms: 400"):
        load("kip-501", 0.04)
