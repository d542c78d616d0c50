"""Built-in scenarios expect something of every arm, and of every partition of a silent follower."""

import pytest

from insync.arms import stand_in
from insync.faults.registry import tags_of
from insync.faults.spec import Planned
from insync.nodes import BROKERS
from insync.scenario.load import builtin_names, load
from insync.scenario.model import Scenario

OF_EVERY_PARTITION = ("dead_follower_dropped_ms", "detected_ms")
"""The metrics that are those of the last partition that a follower at fault leaves."""

STAYS_IN_SOME = ("lost-connection-mid-stall", "new-epoch-mid-stall")
"""Where a silent follower stays in the ISRs of partitions whose leader hangs, and leaves others."""


@pytest.mark.parametrize("name", builtin_names())
def test_something_is_expected_of_every_arm(name: str) -> None:
    scenario = load(name)
    compared = {each.arm for each in scenario.compare}
    for arm in scenario.arms:
        bounded = stand_in(arm, scenario.expect)
        assert bounded or arm in compared, f"{arm} would only be observed"
        assert bounded or arm not in scenario.control_arms, "comparisons do not bind control arms"


def silences_a_follower(fault: Planned, scenario: Scenario) -> bool:
    """Whether a fault stops a follower's fetches for longer than the lag limit.

    One that only delays them does not: the follower may stay. A replica that is still being added
    is in no ISR.
    """
    tags = tags_of(fault)
    site = getattr(fault, "site", "")
    stops = tags.stops_following or site in tags.stops_following_at
    holds = getattr(fault, "mode", "hold") == "hold"
    long = fault.end_ms - fault.at_ms > scenario.broker.replica_lag_time_max_ms
    added = any(other.added and other.broker == fault.broker for other in scenario.faults)
    leads = fault.broker in scenario.workload.leaders or fault.broker > BROKERS
    return stops and holds and long and not added and not leads


WITH_ONE = [
    name
    for name in builtin_names()
    if name not in STAYS_IN_SOME
    and any(silences_a_follower(fault, load(name)) for fault in load(name).faults)
]


@pytest.mark.parametrize("name", WITH_ONE)
def test_a_silent_follower_must_be_out_of_every_isr(name: str) -> None:
    scenario = load(name)
    for arm, bounds in scenario.expect.items():
        assert set(OF_EVERY_PARTITION) & set(bounds), f"{name}, {arm}: expects {sorted(bounds)}"


@pytest.mark.parametrize("name", STAYS_IN_SOME)
def test_a_follower_that_is_silent_while_its_leader_hangs_must_leave_some_isr(name: str) -> None:
    scenario = load(name)
    assert any(silences_a_follower(fault, scenario) for fault in scenario.faults)
    for arm, bounds in scenario.expect.items():
        assert (bounds["isr_shrinks"].min or 0) >= 1, arm


def test_there_are_such_scenarios() -> None:
    assert len(WITH_ONE) >= 3


def test_a_follower_without_its_log_may_not_be_let_in() -> None:
    scenario = load("bootstrapping-replica")
    for arm in scenario.arms:
        bounds = scenario.expect["stock" if arm == "time" else arm]
        assert bounds["let_in_at_fault"].max == 0
