"""Computes how records waited for paused followers, and when added replicas joined the ISR."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, is_acked
from insync.faults.registry import tagged


def pauses(operations: DataFrame, faults: DataFrame, intervals: DataFrame) -> DataFrame:
    """Return one row per fault that stopped a follower in an ISR, with its due, early and waited.

    `operations`, `faults` and `intervals` (isr_intervals) are the tables. `due` counts the records
    that were due while the follower was stopped and in the ISR. None of them is committed before
    the follower runs again or is out of the ISR: `early` counts those that were acked all the same,
    `waited` those that were acked after the pause, to whose end the follower was in the ISR.
    """
    stopped = faults.where(fn.col("fault").isin(tagged("stops_process"))).select(
        *REPEAT, "fault_no", "broker", "injected_ms", "lifted_ms"
    )
    members = intervals.select(
        *PARTITION, fn.col("leader").alias("led_by"), "isr", "start_ms", "end_ms"
    )
    due = fn.col("sent_ms")
    follows = (fn.col("led_by") != fn.col("broker")) & fn.array_contains("isr", fn.col("broker"))
    stayed = fn.col("end_ms") >= fn.col("lifted_ms")
    ended = fn.least("lifted_ms", "end_ms")
    return (
        operations.select(*PARTITION, "sent_ms", "done_ms", is_acked().alias("acked"))
        .join(fn.broadcast(stopped), REPEAT, "inner")
        .where(due.between(fn.col("injected_ms"), fn.col("lifted_ms")))
        .join(fn.broadcast(members), PARTITION, "inner")
        .where(follows & (due >= fn.col("start_ms")) & (due < fn.col("end_ms")))
        .groupBy(*REPEAT, "fault_no", "broker")
        .agg(
            fn.count(fn.lit(1)).alias("due"),
            fn.count_if(fn.col("acked") & (fn.col("done_ms") < ended)).alias("early"),
            fn.count_if(
                fn.col("acked") & stayed & (fn.col("done_ms") >= fn.col("lifted_ms"))
            ).alias("waited"),
        )
    )


def added_replicas(intervals: DataFrame) -> DataFrame:
    """Return one row per replica that was added to a partition, with its `joined_ms`.

    `intervals` is the table isr_intervals. `added_ms` (epoch) is when it was in the assignment,
    `joined_ms` how much later it was in the ISR; null if it never was.
    """
    before = fn.lag("replicas").over(Window.partitionBy(*PARTITION).orderBy("start_ms"))
    added = intervals.withColumn("new", fn.array_except("replicas", before)).select(
        *PARTITION,
        fn.explode("new").alias("replica"),
        fn.col("start_ms").alias("added_ms"),
    )
    later = intervals.select(*PARTITION, "isr", "start_ms")
    member = fn.array_contains("isr", fn.col("replica")) & (
        fn.col("start_ms") >= fn.col("added_ms")
    )
    joined = fn.min(fn.when(member, fn.col("start_ms"))) - fn.col("added_ms")
    return (
        added.join(later, PARTITION, "inner")
        .groupBy(*PARTITION, "replica", "added_ms")
        .agg(joined.alias("joined_ms"))
    )
