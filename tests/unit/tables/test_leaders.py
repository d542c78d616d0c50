"""Leaders and ISRs in time, from the controller's log: intervals, changes, recovery, step-downs."""

from typing import Any

import pytest
from pyspark.sql import DataFrame

from insync.analysis.tables.bronze.lines import PRODUCE, STEP_DOWNS
from insync.analysis.tables.gold.followers import recovery
from insync.analysis.tables.silver.leaders import (
    dead_followers,
    isr_intervals,
    leader_changes,
    step_down_sources,
    step_downs,
)
from unit.isr_log import END, START, log, repeats
from unit.tables.inline import table, values

FULL = (500.0, 1, [1, 2, 3])


def faults(*found: tuple[str, str, int, list[str], float, float], mode: str = "") -> DataFrame:
    names = "fault_no fault site broker target injected_ms lifted_ms"
    return table("faults", names, [(n, *each) for n, each in enumerate(found)], mode=mode)


def changes(isr: DataFrame, injected: DataFrame | None = None) -> list[tuple[Any, ...]]:
    found = leader_changes(isr, injected or faults(), repeats())
    return values(found, "t_ms leader_before leader planned", "t_ms")


def test_a_change_names_the_last_leader_also_after_a_while_without() -> None:
    back = [(4_000.0, 2, [2]), (5_000.0, -1, []), (6_000.0, 2, [2, 3])]
    isr = log(FULL, (2_000.0, 1, [1, 2]), (3_000.0, -1, []), *back)
    assert changes(isr) == [(4_000.0, 1, 2, False)]


def test_only_changes_inside_the_repeat_count() -> None:
    isr = log(FULL, (900.0, 2, [1, 2, 3]), (5_000.0, 3, [2, 3]), (12_000.0, 1, [1]))
    assert changes(isr) == [(5_000.0, 2, 3, False)]


@pytest.mark.parametrize(
    ("broker", "target", "at", "planned"),
    [
        (2, ["t-0"], 3_000.0, True),
        (2, ["t-0", "t-1"], 2_100.0, True),
        (3, ["t-0"], 3_000.0, False),  # another broker came to lead than was elected
        (2, ["t-1"], 3_000.0, False),
        (2, ["t-0"], 6_000.0, False),
    ],
)
def test_an_election_of_the_scenario_is_planned(
    broker: int, target: list[str], at: float, planned: bool
) -> None:
    elected = faults(("elect", "", broker, target, at, at + 50.0))
    isr = log(FULL, (3_010.0, 2, [1, 2, 3]))
    assert changes(isr, elected) == [(3_010.0, 1, 2, planned)]


@pytest.mark.parametrize(("mode", "unclean"), [("unclean", True), ("", False)])
def test_an_unclean_election_of_the_scenario_is_told_from_others(mode: str, unclean: bool) -> None:
    elected = faults(("elect", "", 2, ["t-0"], 3_000.0, 3_050.0), mode=mode)
    isr = log((500.0, 1, [1]), (2_000.0, -1, [1]), (3_010.0, 2, [2]), (5_000.0, 1, [1, 2]))
    found = leader_changes(isr, elected, repeats())
    assert values(found, "planned unclean", "t_ms") == [(True, unclean), (False, False)]


def dropped(isr: DataFrame, *fault: Any) -> list[tuple[int, float | None]]:
    return values(dead_followers(isr, faults(fault), repeats()), "broker took_ms", "broker")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (("kill", "", 3, [], 2_000.0, 9_000.0), [(3, 1_500.0)]),
        (("lost-log", "", 3, [], 2_000.0, 9_000.0), [(3, 1_500.0)]),
        (("stall", "write", 3, ["t-0"], 3_000.0, 9_000.0), [(3, 500.0)]),
        (("stall", "write", 3, ["t-1"], 3_000.0, 9_000.0), []),  # it stalls for another partition
        (("stall", "read", 3, ["t-0"], 3_000.0, 9_000.0), []),  # this is not a way to fall behind
        (("kill", "", 1, [], 2_000.0, 9_000.0), []),  # the leader
        (("freeze", "", 2, [], 2_000.0, 9_000.0), [(2, None)]),  # it was kept
        (("kill", "", 3, [], 4_000.0, 9_000.0), []),  # out already
    ],
)
def test_a_dead_follower_is_timed_from_its_fault_to_the_isr_without_it(
    fault: tuple[Any, ...], expected: list[tuple[int, float | None]]
) -> None:
    isr = log(FULL, (3_500.0, 1, [1, 2]), (9_500.0, 1, [1, 2, 3]))
    assert dropped(isr, *fault) == expected


def spans(changes: DataFrame) -> list[tuple[Any, ...]]:
    intervals = isr_intervals(changes, repeats())
    return values(intervals, "start_ms end_ms leader isr_size", "start_ms")


def test_intervals_are_clipped_to_the_repeat() -> None:
    changes = log(FULL, (4_000.0, 1, [1]), (5_000.0, -1, [1]), (20_000.0, 1, [1]))
    assert spans(changes) == [
        (START, 4_000.0, 1, 3), (4_000.0, 5_000.0, 1, 1), (5_000.0, END, -1, 1),
    ]  # fmt: skip


def test_changes_of_one_millisecond_keep_the_order_of_the_log() -> None:
    changes = log(FULL, (4_000.0, 1, [1]), (4_000.0, 1, [1, 2]))
    assert spans(changes) == [(START, 4_000.0, 1, 3), (4_000.0, END, 1, 2)]


STALL = ("stall", "read", 1, [], 3_000.0, 6_000.0)
LATER_FREEZE = ("freeze", "", 1, [], 9_000.0, 10_000.0)


def recovered(
    states: list[tuple[float, int, list[int]]], *sent: tuple[float, Any]
) -> list[tuple[Any, ...]]:
    """Return (isr_whole_ms, backlog_ms) of each fault; `sent` are (due, answered)."""
    windows = repeats()
    found = recovery(
        faults(STALL, LATER_FREEZE),
        isr_intervals(log(*states), windows),
        table(PRODUCE, "sent_ms done_ms", sent),
        windows,
    )
    return values(found, "isr_whole_ms backlog_ms", "fault_no")


def test_recovery_counts_from_the_lift_to_full_isrs_and_to_the_last_ack_due_before_it() -> None:
    states = [FULL, (5_100.0, 1, [1]), (7_500.0, 1, [1, 2, 3])]
    sent = [(2_000.0, 2_005.0), (4_000.0, 6_300.0), (6_000.0, 6_200.0), (9_500.0, 9_600.0)]
    assert recovered(states, *sent) == [(1_500.0, 300.0), (0.0, 0.0)]


def test_a_fault_without_recovery_before_the_next_one_has_no_time() -> None:
    states = [FULL, (5_100.0, 1, [1]), (9_500.0, 1, [1, 2, 3])]
    assert recovered(states, (4_000.0, None)) == [(None, None), (0.0, None)]


def events_of(*events: dict[str, Any]) -> DataFrame:
    names = STEP_DOWNS.columns
    base = {"arm": "a", "broker": 1, "topic": "t", "partition": 0}
    rows = [[{**base, **each}.get(name) for name in names] for each in events]
    return table(STEP_DOWNS, " ".join(names), rows)


def done(at: float, **more: Any) -> dict[str, Any]:
    return {"type": "answered", "t_ms": at, "outcome": "done", "way": "alter-partition", **more}


def test_an_answer_is_a_row_and_so_is_a_decision_not_to_ask() -> None:
    events = events_of(
        {"type": "asked", "t_ms": 2_000.0, "reason": "slow_fetch"},
        done(2_050.0, asked_ms=50.0, successor=2),
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "partition": 1},
        {"type": "withheld", "t_ms": 12_000.0, "reason": "cooling_down"},  # after the repeat
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "topic": "another"},
    )
    found = step_downs(events, repeats())
    assert values(found, "t_ms partition outcome successor in_cooldown", "t_ms") == [
        (2_050.0, 0, "done", 2, 1), (3_000.0, 1, "withheld", None, None),
    ]  # fmt: skip


def test_those_done_within_a_cool_down_are_counted_per_partition() -> None:
    events = events_of(
        done(2_000.0), done(3_000.0, broker=2), done(4_000.0, broker=3), done(6_500.0),
        done(3_500.0, partition=1), {**done(3_200.0), "outcome": "refused"},
    )  # fmt: skip
    assert values(step_downs(events, repeats()), "t_ms in_cooldown", "t_ms") == [
        (2_000.0, 3), (3_000.0, 2), (3_200.0, None), (3_500.0, 1), (4_000.0, 1), (6_500.0, 1),
    ]  # fmt: skip


def test_a_broker_whose_events_were_read_is_a_source() -> None:
    events = events_of({"type": "read", "t_ms": 99_000.0, "topic": None, "broker": 2})
    found = step_down_sources(events, repeats())
    assert values(found, "arm repeat broker", "broker") == [("a", 0, 2)]
