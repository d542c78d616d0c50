"""Computes the time windows of a run's repeats, and the partitions and operations of each.

Other tables are joined to these windows, so that a repeat without operations or faults has its
rows as well.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT, TOPIC


def repeats(phases: DataFrame, produce: DataFrame) -> DataFrame:
    """Return run, arm, repeat, topic, start_ms, end_ms (epoch), complete, host_gap_ms, seed.

    A window opens with the line `steady`: acks come on time and every ISR is full. Before it the
    followers of a new topic may be late for their first fetch, which no arm causes. Without
    that line it opens with `repeat_started`. A repeat without `repeat_ended` was interrupted: it is
    not `complete`, and its window closes with the last action of its producers. `host_gap_ms` is
    the longest time for which the harness was not scheduled, `seed` the repeat's seed; both are
    null if the repeat did not record them.
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


def partitions(repeats: DataFrame) -> DataFrame:
    """Return one row per partition of each repeat, which says how many, with its window."""
    numbers = fn.sequence(fn.lit(0), (fn.col("partitions") - 1).cast("int"))
    return repeats.select(*TOPIC, fn.explode(numbers).alias("partition"), "start_ms", "end_ms")


def operations(produce: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per record that was due: the `produce` line, and `judged`.

    `sent_ms` is when the record was due, not when it was sent. No answer can shift it, so latencies
    that count from it show a stall in every record that was due during it. `judged` is whether the
    repeat's window had opened.
    """
    opened = fn.broadcast(repeats.select(*REPEAT, "start_ms"))
    judged = fn.coalesce(fn.col("sent_ms") >= fn.col("start_ms"), fn.lit(False))
    return produce.join(opened, REPEAT, "left").withColumn("judged", judged)
