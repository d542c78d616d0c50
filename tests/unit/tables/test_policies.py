"""What followers did: removals, detections, pauses in an ISR, and added ones."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.tables.gold.policies import detections, follower_drops
from insync.analysis.tables.silver.isr import isr_intervals
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import END, LAG, faults, log, repeats

Fault = tuple[str, str, int, float, float | None]
Record = tuple[float, float | None, str | None]

FULL = (500.0, 1, [1, 2, 3])
FROZEN: Fault = ("freeze", "", 3, 3_000.0, 6_000.0)


def drops(spark: SparkSession, changes: DataFrame, *injected: Fault) -> list[tuple[Any, ...]]:
    found, lag = faults(spark, *injected), fn.lit(LAG)
    shrinks = isr_shrinks(changes, found, repeats(spark), lag)
    table = follower_drops(shrinks, found, lag).orderBy("t_ms", "replica")
    return [tuple(row) for row in table.select("t_ms", "replica", "healthy").collect()]


def detected(
    spark: SparkSession, changes: DataFrame, *injected: Fault, target: tuple[str, ...] = ()
) -> list[tuple[Any, ...]]:
    names = fn.array(*map(fn.lit, target)).cast("array<string>")
    found = faults(spark, *injected).withColumn("target", names)
    table = detections(isr_intervals(changes, repeats(spark)), found).orderBy("fault_no")
    return [tuple(row) for row in table.select("broker", "partitions", "detected_ms").collect()]


def test_without_a_fault_every_removed_follower_was_healthy(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 1, [1]))
    assert drops(spark, changes) == [(4_000.0, 2, True), (4_000.0, 3, True)]


@pytest.mark.parametrize(
    ("at", "healthy"),
    [(2_999.0, True), (3_000.0, False), (6_000.0 + LAG, False), (6_001.0 + LAG, True)],
)
def test_a_follower_is_at_fault_from_the_beginning_until_a_lag_after_the_end(
    spark: SparkSession, at: float, healthy: bool
) -> None:
    """The other follower is removed as well; it is always healthy."""
    changes = log(spark, FULL, (at, 1, [1]))
    assert drops(spark, changes, FROZEN) == [(at, 2, True), (at, 3, healthy)]


def test_a_fault_of_the_leader_leaves_its_followers_healthy(spark: SparkSession) -> None:
    stall: Fault = ("stall", "send", 1, 3_000.0, 6_000.0)
    assert drops(spark, log(spark, FULL, (5_000.0, 1, [1, 2])), stall) == [(5_000.0, 3, True)]


def test_a_removal_during_a_link_fault_is_no_false_alarm(spark: SparkSession) -> None:
    cut: Fault = ("link", "", 1, 3_000.0, 6_000.0)
    assert drops(spark, log(spark, FULL, (5_000.0, 1, [1, 3])), cut) == [(5_000.0, 2, False)]


def test_a_fenced_broker_is_not_healthy(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 3, True), (4_000.0, 1, [1, 2]))
    assert drops(spark, changes) == [(4_000.0, 3, False)]


def test_detection_counts_from_the_fault_to_the_isr_without_its_broker(
    spark: SparkSession,
) -> None:
    changes = log(spark, FULL, (5_400.0, 1, [1, 2]), (7_000.0, 1, [1, 2, 3]))
    assert detected(spark, changes, FROZEN) == [(3, 1, 2_400.0)]


def test_a_follower_that_is_out_already_is_detected_at_once(spark: SparkSession) -> None:
    changes = log(spark, FULL, (2_000.0, 1, [1, 2]))
    assert detected(spark, changes, FROZEN) == [(3, 1, 0.0)]


def let_in(spark: SparkSession, *changes: tuple[Any, ...]) -> list[int]:
    """Return how often a follower that is frozen from 3 s to 6 s joined the ISR during that."""
    intervals = isr_intervals(log(spark, *changes), repeats(spark))
    frozen = faults(spark, FROZEN).withColumn("target", fn.array().cast("array<string>"))
    return [row["let_in"] for row in detections(intervals, frozen).collect()]


def test_a_follower_that_joins_the_isr_during_its_own_fault_was_let_in(spark: SparkSession) -> None:
    """It was out when the fault began, so that `detected_ms` is 0 whatever happens later."""
    out, back = (2_000.0, 1, [1, 2]), (4_000.0, 1, [1, 2, 3])
    assert let_in(spark, FULL, out) == [0]
    assert let_in(spark, FULL, out, back) == [1]
    assert let_in(spark, FULL, out, back, (5_000.0, 1, [1, 2]), (5_500.0, 1, [1, 2, 3])) == [2]


@pytest.mark.parametrize("at", [2_500.0, 3_000.0, 6_000.0, 6_500.0])
def test_a_follower_that_joins_before_or_after_its_fault_was_not_let_in(
    spark: SparkSession, at: float
) -> None:
    assert let_in(spark, FULL, (2_000.0, 1, [1, 2]), (at, 1, [1, 2, 3])) == [0]


def test_a_follower_that_stays_in_the_isr_was_not_let_in(spark: SparkSession) -> None:
    assert let_in(spark, FULL, (4_000.0, 1, [1, 3]), (5_000.0, 1, [1, 2, 3])) == [0]


@pytest.mark.parametrize("changes", [[FULL], [FULL, (6_500.0, 1, [1, 2])]])
def test_a_follower_that_stays_to_the_end_of_the_fault_is_not_detected(
    spark: SparkSession, changes: list[tuple[Any, ...]]
) -> None:
    assert detected(spark, log(spark, *changes), FROZEN) == [(3, 1, None)]


def test_a_fault_of_a_leader_or_of_another_partition_has_no_detection(
    spark: SparkSession,
) -> None:
    changes = log(spark, FULL, (5_000.0, 1, [1]))
    assert detected(spark, changes, ("freeze", "", 1, 3_000.0, END)) == []
    assert detected(spark, changes, FROZEN, target=("t-1",)) == []
    assert detected(spark, changes, FROZEN, target=("t-0",)) == [(3, 1, 2_000.0)]
