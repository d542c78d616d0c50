"""What followers did: removals, detections, pauses in an ISR, added ones; and bursts."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.engine.session import inline_table
from insync.analysis.tables.gold.followers import added_replicas, pauses
from insync.analysis.tables.gold.policies import bursts, detections, follower_drops
from insync.analysis.tables.silver.isr import isr_intervals
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import END, LAG, faults, log, repeats

Fault = tuple[str, str, int, float, float | None]
Record = tuple[float, float | None, str | None]

FULL = (500.0, 1, [1, 2, 3])
PAUSED = ("freeze", "", 3, 3_000.0, 3_100.0)
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


def test_bursts_count_when_all_of_their_records_were_acked(spark: SparkSession) -> None:
    columns = "run string, arm string, repeat int, partition int, seq long, offset long"
    acked = [("r", "a", 0, 0, seq, seq) for seq in range(10)]
    lost = [("r", "a", 0, 0, 10, 10), ("r", "a", 0, 0, 11, None)]
    even = [("r", "a", 0, 1, seq, seq) for seq in range(10)]
    produced = inline_table(spark, [*acked, *lost, *even], columns)
    dropped = inline_table(
        spark,
        [
            ("r", "a", 0, 0, 2, True),
            ("r", "a", 0, 0, 3, True),
            ("r", "a", 0, 0, 3, False),
            ("r", "a", 0, 1, 2, True),
        ],
        "run string, arm string, repeat int, partition int, replica int, healthy boolean",
    )
    plan = inline_table(spark, [("r", 0, 2)], "run string, partition int, records int")
    (row,) = bursts(produced, dropped, plan).collect()
    assert row.asDict() == {
        "run": "r", "arm": "a", "repeat": 0, "partition": 0, "records": 2, "bursts": 5,
        "false_alarms": 2,
    }  # fmt: skip
    assert bursts(produced, dropped, plan.limit(0)).collect() == []


def produced(spark: SparkSession, *records: Record) -> DataFrame:
    """Make the operations of partition 0: due, answered, error."""
    columns = (
        "run string, arm string, repeat int, topic string, partition int, sent_ms double,"
        " done_ms double, error string"
    )
    return inline_table(spark, [("r", "a", 0, "t", 0, *each) for each in records], columns)


def paused(
    spark: SparkSession,
    changes: DataFrame,
    *records: Record,
    fault: tuple[str, str, int, float, float] = PAUSED,
) -> list[tuple[Any, ...]]:
    """Return due, early and waited of each pause."""
    intervals = isr_intervals(changes, repeats(spark))
    table = pauses(produced(spark, *records), faults(spark, fault), intervals)
    return [tuple(row) for row in table.select("broker", "due", "early", "waited").collect()]


def test_a_record_of_a_pause_is_committed_when_the_follower_is_back(spark: SparkSession) -> None:
    records: list[Record] = [
        (2_990.0, 2_995.0, None),
        (2_999.0, 3_120.0, None),
        (3_000.0, 3_104.0, None),
        (3_099.0, 3_105.0, None),
        (3_101.0, 3_106.0, None),
    ]
    assert paused(spark, log(spark, FULL), *records) == [(3, 2, 0, 2)]


def test_an_ack_before_the_follower_is_back_is_early(spark: SparkSession) -> None:
    records: list[Record] = [
        (3_010.0, 3_099.0, None),
        (3_020.0, 3_105.0, None),
        (3_030.0, 3_050.0, "REQUEST_TIMED_OUT"),
        (3_040.0, None, None),
    ]
    assert paused(spark, log(spark, FULL), *records) == [(3, 4, 1, 1)]


def test_records_do_not_wait_for_a_follower_that_is_out_of_the_isr(spark: SparkSession) -> None:
    long = ("freeze", "", 3, 3_000.0, 6_000.0)
    changes = log(spark, FULL, (5_000.0, 1, [1, 2]))
    records: list[Record] = [(3_500.0, 5_001.0, None), (5_500.0, 5_505.0, None)]
    assert paused(spark, changes, *records, fault=long) == [(3, 1, 0, 0)]


@pytest.mark.parametrize("fault", [("freeze", "", 1, 3_000.0, 3_100.0), ("stall", *PAUSED[1:])])
def test_a_pause_of_the_leader_and_a_fault_that_stops_no_process_are_not_judged(
    spark: SparkSession, fault: tuple[str, str, int, float, float]
) -> None:
    assert paused(spark, log(spark, FULL), (3_010.0, 3_020.0, None), fault=fault) == []


def added(spark: SparkSession, *changes: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    table = added_replicas(isr_intervals(log(spark, *changes), repeats(spark)))
    return [tuple(row) for row in table.select("replica", "added_ms", "joined_ms").collect()]


def test_an_added_replica_joins_when_it_is_in_the_isr(spark: SparkSession) -> None:
    changes = [
        (500.0, 1, [1, 2, 3]),
        (600.0, 1, [1, 2], [1, 2]),
        (3_000.0, 1, [1, 2], [1, 2, 3]),
        (4_000.0, 1, [1], [1, 2, 3]),
        (7_000.0, 1, [1, 3], [1, 2, 3]),
        (8_000.0, 1, [1, 2, 3], [1, 2, 3]),
    ]
    assert added(spark, *changes) == [(3, 3_000.0, 4_000.0)]
    assert added(spark, *changes[:4]) == [(3, 3_000.0, None)]


def test_a_replica_that_was_assigned_all_the_time_was_not_added(spark: SparkSession) -> None:
    assert added(spark, FULL, (END - 1, 1, [1, 2])) == []
