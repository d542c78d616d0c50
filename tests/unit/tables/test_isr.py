"""Intervals of constant leader and ISR, and how long they take to be whole again after a fault."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from insync.analysis.tables.gold.followers import recovery
from insync.analysis.tables.silver.leaders import isr_intervals
from unit.isr_log import END, START, faults, log, repeats
from unit.tables.inline import inline_table


def spans(table: DataFrame) -> list[tuple[Any, ...]]:
    found = table.orderBy("start_ms").select("start_ms", "end_ms", "leader", "isr_size").collect()
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


FULL = (500.0, 1, [1, 2, 3])
STALL = ("stall", "read", 1, 3_000.0, 6_000.0)
LATER = ("freeze", "", 1, 9_000.0, 10_000.0)

SENT = (
    "run string, arm string, repeat int, topic string, partition int, sent_ms double,"
    " done_ms double, error string"
)


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
