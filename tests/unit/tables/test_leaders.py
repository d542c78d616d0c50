"""Leaders and ISRs in time, from the controller's log: intervals, changes, recovery, step-downs."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

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
from unit.tables.inline import table

FULL = (500.0, 1, [1, 2, 3])


def faults(
    spark: SparkSession,
    *found: tuple[str, str, int, list[str], float, float],
    mode: str = "",
) -> DataFrame:
    names = "fault_no fault site broker target injected_ms lifted_ms"
    return table(spark, "faults", names, [(n, *each) for n, each in enumerate(found)], mode=mode)


def changes(
    spark: SparkSession, isr: DataFrame, injected: DataFrame | None = None
) -> list[tuple[Any, ...]]:
    found = leader_changes(isr, injected or faults(spark), repeats(spark))
    return [
        (row.t_ms, row.leader_before, row.leader, row.planned)
        for row in found.orderBy("t_ms").collect()
    ]


def test_a_change_names_the_last_leader_also_after_a_while_without(spark: SparkSession) -> None:
    isr = log(
        spark, FULL, (2_000.0, 1, [1, 2]), (3_000.0, -1, []), (4_000.0, 2, [2]), (5_000.0, -1, []),
        (6_000.0, 2, [2, 3]),
    )  # fmt: skip
    assert changes(spark, isr) == [(4_000.0, 1, 2, False)]


def test_only_changes_inside_the_repeat_count(spark: SparkSession) -> None:
    isr = log(spark, FULL, (900.0, 2, [1, 2, 3]), (5_000.0, 3, [2, 3]), (12_000.0, 1, [1]))
    assert changes(spark, isr) == [(5_000.0, 2, 3, False)]


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
    spark: SparkSession, broker: int, target: list[str], at: float, planned: bool
) -> None:
    elected = faults(spark, ("elect", "", broker, target, at, at + 50.0))
    isr = log(spark, FULL, (3_010.0, 2, [1, 2, 3]))
    assert changes(spark, isr, elected) == [(3_010.0, 1, 2, planned)]


@pytest.mark.parametrize(("mode", "unclean"), [("unclean", True), ("", False)])
def test_an_unclean_election_of_the_scenario_is_told_from_others(
    spark: SparkSession, mode: str, unclean: bool
) -> None:
    elected = faults(spark, ("elect", "", 2, ["t-0"], 3_000.0, 3_050.0), mode=mode)
    isr = log(spark, (500.0, 1, [1]), (2_000.0, -1, [1]), (3_010.0, 2, [2]), (5_000.0, 1, [1, 2]))
    found = leader_changes(isr, elected, repeats(spark)).orderBy("t_ms").collect()
    assert [(row.planned, row.unclean) for row in found] == [(True, unclean), (False, False)]


def dropped(spark: SparkSession, isr: DataFrame, *fault: Any) -> list[tuple[int, float | None]]:
    found = dead_followers(isr, faults(spark, fault), repeats(spark))
    return [(row.broker, row.took_ms) for row in found.collect()]


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
    spark: SparkSession, fault: tuple[Any, ...], expected: list[tuple[int, float | None]]
) -> None:
    isr = log(spark, FULL, (3_500.0, 1, [1, 2]), (9_500.0, 1, [1, 2, 3]))
    assert dropped(spark, isr, *fault) == expected


def spans(intervals: DataFrame) -> list[tuple[Any, ...]]:
    found = (
        intervals.orderBy("start_ms").select("start_ms", "end_ms", "leader", "isr_size").collect()
    )
    return [tuple(row) for row in found]


def test_intervals_are_clipped_to_the_repeat(spark: SparkSession) -> None:
    changes = log(
        spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (5_000.0, -1, [1]), (20_000.0, 1, [1])
    )
    assert spans(isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, 5_000.0, 1, 1),
        (5_000.0, END, -1, 1),
    ]


def test_changes_of_one_millisecond_keep_the_order_of_the_log(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (4_000.0, 1, [1, 2]))
    assert spans(isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, END, 1, 2),
    ]


STALL = ("stall", "read", 1, [], 3_000.0, 6_000.0)
LATER_FREEZE = ("freeze", "", 1, [], 9_000.0, 10_000.0)


def recovered(
    spark: SparkSession, states: list[tuple[float, int, list[int]]], *sent: tuple[float, Any]
) -> list[tuple[Any, ...]]:
    """Return (isr_whole_ms, backlog_ms) of each fault; `sent` are (due, answered)."""
    windows = repeats(spark)
    found = recovery(
        faults(spark, STALL, LATER_FREEZE),
        isr_intervals(log(spark, *states), windows),
        table(spark, PRODUCE, "sent_ms done_ms", sent),
        windows,
    )
    rows = found.orderBy("fault_no").collect()
    return [(row["isr_whole_ms"], row["backlog_ms"]) for row in rows]


def test_recovery_counts_from_the_lift_to_full_isrs_and_to_the_last_ack_due_before_it(
    spark: SparkSession,
) -> None:
    states = [FULL, (5_100.0, 1, [1]), (7_500.0, 1, [1, 2, 3])]
    sent = [(2_000.0, 2_005.0), (4_000.0, 6_300.0), (6_000.0, 6_200.0), (9_500.0, 9_600.0)]
    assert recovered(spark, states, *sent) == [(1_500.0, 300.0), (0.0, 0.0)]


def test_a_fault_without_recovery_before_the_next_one_has_no_time(spark: SparkSession) -> None:
    states = [FULL, (5_100.0, 1, [1]), (9_500.0, 1, [1, 2, 3])]
    assert recovered(spark, states, (4_000.0, None)) == [(None, None), (0.0, None)]


def events_of(spark: SparkSession, *events: dict[str, Any]) -> DataFrame:
    names = STEP_DOWNS.columns
    base = {"arm": "a", "broker": 1, "topic": "t", "partition": 0}
    rows = [[{**base, **each}.get(name) for name in names] for each in events]
    return table(spark, STEP_DOWNS, " ".join(names), rows)


def done(at: float, **more: Any) -> dict[str, Any]:
    return {"type": "answered", "t_ms": at, "outcome": "done", "way": "alter-partition", **more}


def test_an_answer_is_a_row_and_so_is_a_decision_not_to_ask(spark: SparkSession) -> None:
    events = events_of(
        spark,
        {"type": "asked", "t_ms": 2_000.0, "reason": "slow_fetch"},
        done(2_050.0, asked_ms=50.0, successor=2),
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "partition": 1},
        {"type": "withheld", "t_ms": 12_000.0, "reason": "cooling_down"},  # after the repeat
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "topic": "another"},
    )
    rows = step_downs(events, repeats(spark)).orderBy("t_ms").collect()
    assert [(row.t_ms, row.partition, row.outcome, row.successor) for row in rows] == [
        (2_050.0, 0, "done", 2),
        (3_000.0, 1, "withheld", None),
    ]
    assert [row.in_cooldown for row in rows] == [1, None]


def test_those_done_within_a_cool_down_are_counted_per_partition(spark: SparkSession) -> None:
    events = events_of(
        spark, done(2_000.0), done(3_000.0, broker=2), done(4_000.0, broker=3), done(6_500.0),
        done(3_500.0, partition=1), {**done(3_200.0), "outcome": "refused"},
    )  # fmt: skip
    rows = step_downs(events, repeats(spark)).orderBy("t_ms").collect()
    assert [(row.t_ms, row.in_cooldown) for row in rows] == [
        (2_000.0, 3), (3_000.0, 2), (3_200.0, None), (3_500.0, 1), (4_000.0, 1), (6_500.0, 1),
    ]  # fmt: skip


def test_a_broker_whose_events_were_read_is_a_source(spark: SparkSession) -> None:
    events = events_of(spark, {"type": "read", "t_ms": 99_000.0, "topic": None, "broker": 2})
    found = step_down_sources(events, repeats(spark)).collect()
    assert [(row.arm, row.repeat, row.broker) for row in found] == [("a", 0, 2)]
