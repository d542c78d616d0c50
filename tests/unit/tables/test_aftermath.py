"""Long-pending fetches, replicas that rejoin, and the recovery time after a fault."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.engine.session import inline_table
from insync.analysis.tables.gold.recovery import recovery
from insync.analysis.tables.silver.expands import isr_expands
from insync.analysis.tables.silver.holds import holds
from insync.analysis.tables.silver.isr import isr_intervals
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import LAG, faults, log, repeats

FULL = (500.0, 1, [1, 2, 3])
STALL = ("stall", "read", 1, 3_000.0, 6_000.0)
LATER = ("freeze", "", 1, 9_000.0, 10_000.0)

EVENTS = (
    "run string, arm string, broker int, type string, t_ms double, topic string, partition int,"
    " replica int, held_ms double, line long"
)
SENT = (
    "run string, arm string, repeat int, topic string, partition int, sent_ms double,"
    " done_ms double, error string"
)


def agent_events(spark: SparkSession, *events: tuple[int, str, float, int, float]) -> DataFrame:
    """Make agents' events of (broker, type, time, replica, held)."""
    lines = [
        ("r", "a", broker, kind, at, "t", 0, replica, held, number)
        for number, (broker, kind, at, replica, held) in enumerate(events)
    ]
    return inline_table(spark, lines, EVENTS)


def test_a_pending_fetch_has_the_site_of_the_fault_with_the_longest_overlap(
    spark: SparkSession,
) -> None:
    events = agent_events(
        spark,
        (1, "pending_long", 6_010.0, 2, 2_900.0),
        (1, "pending_long", 6_020.0, 3, 3_100.0),
        (1, "pending_long", 8_500.0, 2, 1_200.0),
        (2, "pending_long", 6_000.0, 1, 2_900.0),
        (1, "leader_change", 6_000.0, 2, 0.0),
    )
    found = holds(events, repeats(spark), faults(spark, STALL, LATER))
    rows = found.orderBy("line").select("broker", "replica", "start_ms", "held_ms", "site")
    assert [tuple(row) for row in rows.collect()] == [
        (1, 2, 3_110.0, 2_900.0, "read stall"),
        (1, 3, 2_920.0, 3_100.0, "read stall"),
        (1, 2, 7_300.0, 1_200.0, None),
        (2, 1, 3_100.0, 2_900.0, None),
    ]


def test_a_fetch_that_is_pending_with_all_its_partitions_is_of_the_repeat_it_ended_in(
    spark: SparkSession,
) -> None:
    """Scope `request` counts whole fetches, not partitions: its events name no topic."""
    lines = [
        ("r", "a", 1, "pending_long", at, None, -1, 2, 2_900.0, number)
        for number, at in enumerate((6_010.0, 1e9))
    ]
    found = holds(inline_table(spark, lines, EVENTS), repeats(spark), faults(spark, STALL))
    (row,) = found.collect()
    assert (row["topic"], row["partition"], row["end_ms"]) == ("t", -1, 6_010.0)
    assert row["site"] == "read stall"


def changes(spark: SparkSession, *states: tuple[float, int, list[int]]) -> dict[str, DataFrame]:
    isr, windows, injected = log(spark, *states), repeats(spark), faults(spark, STALL)
    shrunk = isr_shrinks(isr, injected, windows, fn.lit(LAG))
    return {"shrinks": shrunk, "expands": isr_expands(isr, shrunk, windows)}


def test_a_replica_that_rejoins_reverts_the_shrink_that_removed_it(spark: SparkSession) -> None:
    found = changes(spark, FULL, (5_100.0, 1, [1, 3]), (5_200.0, 1, [1]), (6_500.0, 1, [1, 2, 3]))
    rows = found["expands"].orderBy("replica").select("replica", "t_ms", "out_ms", "cause", "site")
    assert [tuple(row) for row in rows.collect()] == [
        (2, 6_500.0, 1_400.0, "leader: read stall", "read"),
        (3, 6_500.0, 1_300.0, "leader: read stall", "read"),
    ]


def test_a_replica_that_was_out_before_the_repeat_reverts_no_shrink(spark: SparkSession) -> None:
    found = changes(spark, (500.0, 1, [1, 2]), (2_000.0, 1, [1, 2, 3]))
    (row,) = found["expands"].collect()
    assert (row["replica"], row["out_ms"], row["cause"]) == (3, None, None)


def recovered(
    spark: SparkSession, states: list[tuple[float, int, list[int]]], *sent: tuple[float, Any]
) -> list[tuple[Any, ...]]:
    """Return (isr_whole_ms, backlog_ms) of each fault; `sent` are (due, answered)."""
    windows = repeats(spark)
    lines = [("r", "a", 0, "t", 0, due, done, None) for due, done in sent]
    table = recovery(
        faults(spark, STALL, LATER),
        isr_intervals(log(spark, *states), windows),
        inline_table(spark, lines, SENT),
        windows,
    )
    rows = table.orderBy("fault_no").collect()
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
