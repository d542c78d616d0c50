"""The windows in which a run's repeats are judged, and which partitions each had.

Every other table is laid over these windows, so that a repeat that left no
operation or no fault still has its row.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT, TOPIC


def repeats(phases: DataFrame, produce: DataFrame) -> DataFrame:
    """run, arm, repeat, topic, start_ms, end_ms (epoch), complete, host_gap_ms, seed.

    A window opens when the repeat was `steady`: every partition acked and every ISR whole.
    What a new topic's followers did before, late for their first fetch, is no arm's doing.
    One that never got there opens with `repeat_started`. A repeat that never said
    `repeat_ended` was cut short: it is not `complete`, and its window closes with the last
    thing its producers did. `host_gap_ms` is the longest time for which the harness got no
    turn, `seed` the repeat's own; None if the repeat did not leave it.
    """
    bounds = phases.groupBy(*REPEAT).agg(
        fn.max(fn.when(fn.col("type") == "repeat_started", fn.col("topic"))).alias("topic"),
        fn.min(fn.when(fn.col("type") == "repeat_started", fn.col("t_ms"))).alias("started_ms"),
        fn.min(fn.when(fn.col("type") == "steady", fn.col("t_ms"))).alias("steady_ms"),
        fn.max(fn.when(fn.col("type") == "repeat_ended", fn.col("t_ms"))).alias("ended_ms"),
        fn.max("longest_gap_ms").alias("host_gap_ms"),
        fn.max("seed").alias("seed"),
    )
    last_seen = produce.groupBy(*REPEAT).agg(
        fn.max(fn.greatest("sent_ms", "done_ms")).alias("last_ms")
    )
    return (
        bounds.withColumn("start_ms", fn.coalesce("steady_ms", "started_ms"))
        .where(fn.col("start_ms").isNotNull())
        .join(last_seen, REPEAT, "left")
        .select(
            *TOPIC,
            "start_ms",
            fn.coalesce("ended_ms", fn.greatest("start_ms", "last_ms")).alias("end_ms"),
            fn.col("ended_ms").isNotNull().alias("complete"),
            "host_gap_ms",
            "seed",
        )
    )


def partitions(repeats: DataFrame, count: int | Column) -> DataFrame:
    """run, arm, repeat, topic, partition, start_ms, end_ms: one row per partition, of `count`."""
    numbers = fn.sequence(fn.lit(0), (fn.lit(count) - 1).cast("int"))
    return repeats.select(*TOPIC, fn.explode(numbers).alias("partition"), "start_ms", "end_ms")


def due_inside(produce: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the produce lines whose records were due after their repeat's window opened."""
    opened = repeats.select(*REPEAT, "start_ms")
    inside = fn.col("sent_ms") >= fn.col("start_ms")
    return produce.join(opened, REPEAT, "inner").where(inside).drop("start_ms")
