"""Scaling multiplies every time, nothing else, and keeps a scenario valid or refuses."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from insync.errors import InputError
from insync.scenario.load import load
from insync.scenario.model import Scenario
from insync.scenario.rules import LEAST_LAG_MS
from insync.scenario.scale import scale_times


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Any valid scenario with up to three stalls."""
    leaders = draw(st.lists(st.integers(1, 3), min_size=1, max_size=6))
    lag = draw(st.integers(LEAST_LAG_MS, 60_000))
    steady = draw(st.integers(0, 60_000))
    stall = st.builds(
        lambda partition, site, delay, at, length: {
            "kind": "stall",
            "site": site,
            "mode": "delay" if delay else "hold",
            "delay_ms": delay,
            "broker": leaders[partition],
            "partitions": [partition],
            "at_ms": steady + at,
            "for_ms": length,
        },
        st.integers(0, len(leaders) - 1),
        st.sampled_from(["read", "send"]),
        st.integers(0, 1_000),
        st.integers(0, 60_000),
        st.integers(1, 60_000),
    )
    whole = {
        **load("kip-501").as_dict(),
        "broker": {
            "replica_lag_time_max_ms": lag,
            "replica_fetch_wait_max_ms": draw(st.integers(1, lag - 1)),
        },
        "workload": {"leaders": leaders, "rate_per_partition": 25, "record_bytes": 200},
        "timeline": {"steady_ms": steady, "recover_ms": draw(st.integers(0, 60_000))},
        "faults": draw(st.lists(stall, max_size=3)),
    }
    return Scenario.model_validate(whole)


@given(scenarios())
def test_a_scenario_is_its_own_json(scenario: Scenario) -> None:
    assert Scenario.model_validate(scenario.as_dict()) == scenario
    assert Scenario.model_validate_json(scenario.model_dump_json(by_alias=True)) == scenario


@given(scenarios(), st.floats(0.001, 10))
def test_times_are_multiplied_and_all_else_stays(scenario: Scenario, factor: float) -> None:
    try:
        scaled = scale_times(scenario, factor)
    except ValidationError:
        assert scenario.broker.replica_lag_time_max_ms * factor < LEAST_LAG_MS + 1 or _collapses(
            scenario, factor
        )
        return
    for before, after in zip(scenario.faults, scaled.faults, strict=True):
        assert math.isclose(after.for_ms, max(1, before.for_ms * factor), abs_tol=0.5)
        assert math.isclose(after.at_ms, before.at_ms * factor, abs_tol=1)
        assert (after.site, after.mode, after.partitions) == (
            before.site, before.mode, before.partitions,
        )  # fmt: skip
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
    assert scale_times(scenario, 1.0) == scenario


def test_expectations_on_times_are_scaled_and_counts_are_not() -> None:
    raw = load("kip-501").as_dict()
    raw["expect"] = {"stock": {"max_ack_gap_ms": {"min": 1000.0}, "isr_shrinks": {"min": 1.0}}}
    scaled = scale_times(Scenario.model_validate(raw), 0.5).expect["stock"]
    assert (scaled["max_ack_gap_ms"].min, scaled["isr_shrinks"].min) == (500, 1)


@pytest.mark.parametrize("factor", [0.0, -1.0, math.nan, math.inf])
def test_a_factor_must_be_a_positive_number(factor: float) -> None:
    with pytest.raises(InputError, match=r"scale .*: expected more than 0"):
        load("kip-501", factor)


def test_the_least_lag_bounds_the_factor() -> None:
    assert load("kip-501", 0.05).broker.replica_lag_time_max_ms == LEAST_LAG_MS
    with pytest.raises(InputError, match=r"scale 0\.04: broker\.replica_lag_time_max_ms: 400"):
        load("kip-501", 0.04)


def test_a_factor_may_not_make_a_time_longer_than_an_hour() -> None:
    with pytest.raises(InputError, match="expected at most 3600000"):
        load("kip-501", 1000)
