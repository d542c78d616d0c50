"""Who led what, and how each broker fared: its partitions, its holds, its place in ISRs."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT

_OF_BROKER = [*REPEAT, "broker"]


def leader_intervals(intervals: DataFrame) -> DataFrame:
    """One row per span in which a partition had one leader, or none (-1).

    `intervals` is the table isr_intervals; each election has an epoch of its own.
    """
    return intervals.groupBy(*PARTITION, "leader", "leader_epoch").agg(
        fn.min("start_ms").alias("start_ms"), fn.max("end_ms").alias("end_ms")
    )


def brokers(
    intervals: DataFrame, leaders: DataFrame, shrinks: DataFrame, holds: DataFrame
) -> DataFrame:
    """One row per broker that has replicas: how long it led, how often an ISR lost it.

    led_ms is summed over partitions, led_partitions counts them; `dropped` counts removals,
    `holds` fetches that stood in its hands, null where no agent told of any.
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
