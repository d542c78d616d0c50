"""Scaling multiplies every time, nothing else, and keeps a scenario valid or refuses."""

import math
import re
from typing import Any

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from pydantic import ValidationError

from insync.errors import InputError
from insync.events.run_info import Bound
from insync.faults.spec import Lasting
from insync.scenario.load import load, scale_times
from insync.scenario.model import Scenario
from insync.scenario.rules import LEAST_LAG_MS


def faults(leaders: list[int], steady: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw any fault of any kind, on valid partitions and brokers."""
    when = st.fixed_dictionaries(
        {
            "at_ms": st.integers(0, 60_000).map(lambda at: steady + at),
            "for_ms": st.integers(1, 60_000),
        }
    )
    partition = st.integers(0, len(leaders) - 1)
    broker = st.integers(1, 3)
    stall = st.builds(
        lambda when, partition, site, delay, anyone: {
            **when, "kind": "stall", "site": site, "mode": "delay" if delay else "hold",
            "delay_ms": delay, "partitions": [partition],
            "broker": anyone if site == "write" else leaders[partition],
        },
        when, partition, st.sampled_from(["read", "send", "write"]), st.integers(0, 1_000), broker,
    )  # fmt: skip
    whole = st.builds(
        lambda when, kind, broker: {**when, **kind, "broker": broker},
        when,
        st.sampled_from(
            [{"kind": kind} for kind in ("freeze", "queue-stall", "kill")]
            + [{"kind": "cpu-quota", "quota_percent": 0.5}]
        ),
        broker,
    )
    elect = st.builds(
        lambda when, partition: {
            "kind": "elect", "at_ms": when["at_ms"], "partitions": [partition],
            "broker": leaders[partition] % 3 + 1,
        },
        when, partition,
    )  # fmt: skip
    return stall | whole | elect


def scale(scenario: Scenario, factor: float) -> Scenario:
    return Scenario.model_validate(scale_times(scenario.as_dict(), factor))


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Draw any valid scenario with up to three faults."""
    leaders = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    lag = draw(st.integers(LEAST_LAG_MS, 60_000))
    steady = draw(st.integers(0, 60_000))
    whole = {
        **load("kip-501").as_dict(),
        "broker": {
            "replica_lag_time_max_ms": lag,
            "replica_fetch_wait_max_ms": draw(st.integers(1, lag - 1)),
            "broker_session_timeout_ms": draw(st.integers(1, 60_000)),
        },
        "workload": {"leaders": leaders, "rate_per_partition": 25, "record_bytes": 200},
        "timeline": {"steady_ms": steady, "recover_ms": draw(st.integers(0, 60_000))},
        "faults": draw(st.lists(faults(leaders, steady), max_size=3)),
    }
    try:
        return Scenario.model_validate(whole)
    except ValidationError as error:
        kept = ("expected outside of", "lead already", "led by")
        assert any(rule in str(error) for rule in kept), "a rule that the above does keep"
        reject()


@given(scenarios())
def test_a_scenario_equals_its_json(scenario: Scenario) -> None:
    assert Scenario.model_validate(scenario.as_dict()) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json(by_alias=True)) == scenario


@given(scenarios(), st.floats(0.001, 10))
def test_times_are_multiplied_and_nothing_else_changes(scenario: Scenario, factor: float) -> None:
    try:
        scaled = scale(scenario, factor)
    except ValidationError as error:
        assert (
            scenario.broker.replica_lag_time_max_ms * factor < LEAST_LAG_MS + 1
            or _collapses(scenario, factor)
            or "expected outside of" in str(error)  # rounding made two faults touch
        )
        return
    for before, after in zip(scenario.faults, scaled.faults, strict=True):
        assert math.isclose(after.at_ms, before.at_ms * factor, abs_tol=1)
        if isinstance(before, Lasting) and isinstance(after, Lasting):
            assert math.isclose(after.for_ms, max(1, before.for_ms * factor), abs_tol=0.5)
        times = {"at_ms", "for_ms", "delay_ms"}
        assert after.model_dump(exclude=times) == before.model_dump(exclude=times)
    assert scaled.workload == scenario.workload
    assert (scaled.name, scaled.repeats, scaled.expect) == (
        scenario.name, scenario.repeats, scenario.expect,
    )  # fmt: skip


def _collapses(scenario: Scenario, factor: float) -> bool:
    """Whether rounding to whole milliseconds leaves no room below the lag."""
    broker = scenario.broker
    lag = round(broker.replica_lag_time_max_ms * factor)
    return max(1, round(broker.replica_fetch_wait_max_ms * factor)) >= lag


@given(scenarios())
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
