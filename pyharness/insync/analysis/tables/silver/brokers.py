"""Computes the leadership, the ISR removals and the long-pending fetches of each broker."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT

_OF_BROKER = [*REPEAT, "broker"]


def leader_intervals(intervals: DataFrame) -> DataFrame:
    """Return one row per interval in which a partition had one leader, or none (-1).

    `intervals` is the table isr_intervals. Each election has a new epoch.
    """
    return intervals.groupBy(*PARTITION, "leader", "leader_epoch").agg(
        fn.min("start_ms").alias("start_ms"), fn.max("end_ms").alias("end_ms")
    )


def brokers(
    intervals: DataFrame, leaders: DataFrame, shrinks: DataFrame, holds: DataFrame
) -> DataFrame:
    """Return one row per broker with replicas.

    `led_ms` is how long it was leader, summed over partitions; `led_partitions` counts these.
    `dropped` counts its removals from an ISR, `holds` its long-pending fetches; null if no agent
    reported any.
    """
    known = intervals.select(*REPEAT, fn.explode("replicas").alias("broker")).distinct()
    led = (
        leaders.groupBy(*REPEAT, fn.col("leader").alias("broker"))
        .agg(
            fn.sum(fn.col("end_ms") - fn.col("start_ms")).alias("led_ms"),
            fn.countDistinct("partition").alias("led_partitions"),
        )
        .withColumn("led_ms", fn.round("led_ms", 3))
    )
    dropped = (
        shrinks.select(*REPEAT, fn.explode("removed").alias("broker"))
        .groupBy(*_OF_BROKER)
        .agg(fn.count(fn.lit(1)).alias("dropped"))
    )
    held = holds.groupBy(*_OF_BROKER).agg(
        fn.count(fn.lit(1)).alias("holds"), fn.max("held_ms").alias("longest_hold_ms")
    )
    parts = (led, dropped, held)
    joined = reduce(lambda all_, part: all_.join(part, _OF_BROKER, "left"), parts, known)
    return joined.select(
        *_OF_BROKER,
        fn.coalesce("led_ms", fn.lit(0.0)).alias("led_ms"),
        fn.coalesce("led_partitions", fn.lit(0)).alias("led_partitions"),
        fn.coalesce("dropped", fn.lit(0)).alias("dropped"),
        "holds",
        "longest_hold_ms",
    )
