"""Computes the long-pending fetches from the agents' events.

When a leader has processed a follower's fetch that was pending for more than half of
replica.lag.time.max.ms, the agent writes an event (`pending_long`). Without an agent nothing counts
them. In scope `request` a fetch is pending with all its partitions: the event names no topic, and
belongs to the repeat in which the fetch ended.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC_OF_ARM
from insync.analysis.tables.silver.evidence import words

_HOLD = [*PARTITION, "broker", "replica", "start_ms"]


def holds(broker_events: DataFrame, repeats: DataFrame, faults: DataFrame) -> DataFrame:
    """Return one row per long-pending fetch; `broker` is the leader.

    `site` is the site of the broker's fault that overlaps the fetch longest; null if none does.
    `partition` is -1 if the event is about all partitions of the fetch.
    """
    pending = broker_events.where(fn.col("type") == "pending_long")
    windows = repeats.select(*REPEAT, "topic", "start_ms", "end_ms")
    of_topic = pending.join(windows, TOPIC_OF_ARM, "inner")
    of_fetch = (
        pending.where(fn.col("topic").isNull()).drop("topic").join(windows, ["run", "arm"], "inner")
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
