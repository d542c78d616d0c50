"""Fetches that stood long in a leader's hands, from the agents' own events.

The agent tells of each follower's fetch that stood for more than half of
replica.lag.time.max.ms when it ends (`pending_long`). Without an agent nobody counts them.
In scope `request` a fetch is held with all its partitions: it is of no topic, and belongs to
the repeat in which it ended.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC_OF_ARM
from insync.analysis.tables.silver.evidence import words

_HOLD = [*PARTITION, "broker", "replica", "start_ms"]


def holds(broker_events: DataFrame, repeats: DataFrame, faults: DataFrame) -> DataFrame:
    """One row per long-pending fetch: broker (the leader), replica, start_ms, end_ms, held_ms.

    `site` is where that broker was stalled meanwhile: of its faults the one that overlaps
    the hold longest; null if none does. `partition` is -1 where all of the fetch were held.
    """
    told = broker_events.where(fn.col("type") == "pending_long")
    windows = repeats.select(*REPEAT, "topic", "start_ms", "end_ms")
    of_topic = told.join(windows, TOPIC_OF_ARM, "inner")
    of_fetch = (
        told.where(fn.col("topic").isNull()).drop("topic").join(windows, ["run", "arm"], "inner")
    )
    ended_inside = fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms"))
    held = of_topic.unionByName(of_fetch.where(ended_inside)).select(
        *PARTITION,
        "broker",
        "replica",
        (fn.col("t_ms") - fn.col("held_ms")).alias("start_ms"),
        fn.col("t_ms").alias("end_ms"),
        "held_ms",
        "line",
        fn.col("end_ms").alias("repeat_end_ms"),
    )
    at_broker = faults.select(
        *REPEAT, "broker", "injected_ms", "lifted_ms", "fault_no", words().alias("words")
    )
    until = fn.least("end_ms", fn.coalesce("lifted_ms", "repeat_end_ms"))
    overlap = until - fn.greatest("start_ms", "injected_ms")
    best = fn.max_by("words", fn.struct("overlap_ms", -fn.col("fault_no")))
    return (
        held.join(at_broker, [*REPEAT, "broker"], "left")
        .withColumn("overlap_ms", fn.when(overlap > 0, overlap))
        .withColumn("words", fn.when(fn.col("overlap_ms").isNotNull(), fn.col("words")))
        .groupBy(*_HOLD, "end_ms", "held_ms", "line")
        .agg(best.alias("site"))
        .select(*_HOLD, "end_ms", "held_ms", "site", "line")
    )


def holds_by_site(found: DataFrame) -> DataFrame:
    """Count holds by leader and site: holds, median_ms, longest_ms, total_ms."""
    return found.groupBy(*REPEAT, "broker", "site").agg(
        fn.count(fn.lit(1)).alias("holds"),
        fn.median("held_ms").alias("median_ms"),
        fn.max("held_ms").alias("longest_ms"),
        fn.sum("held_ms").alias("total_ms"),
    )
