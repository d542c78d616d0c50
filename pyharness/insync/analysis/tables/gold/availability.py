"""Computes how long partitions were under-replicated, under or at min ISR, or offline.

There are rows per partition, and for the whole topic (`partition` is null): the time in which at
least one of its partitions was in the state, with overlapping intervals counted once.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, TOPIC


def availability(intervals: DataFrame, min_insync_replicas: int | Column) -> DataFrame:
    """Return how long each PARTITION was in each state, and its `min_isr_size`.

    `intervals` is the table isr_intervals. `observed_ms` is how long the state was known. A replica
    that a reassignment still adds makes no partition under-replicated, as in Kafka's own count;
    `under_replicated_ms` is null where the replicas are not known.
    """
    spans = intervals.select(
        *PARTITION,
        "isr_size",
        "start_ms",
        "end_ms",
        (fn.col("end_ms") - fn.col("start_ms")).alias("span_ms"),
        (fn.col("isr_size") < min_insync_replicas).alias("under"),
        (fn.col("isr_size") == min_insync_replicas).alias("at_min"),
        (fn.col("leader") < 0).alias("offline"),
        (fn.col("isr_size") < _replication_factor()).alias("short"),
    )
    return (
        _per_partition(spans)
        .unionByName(_topic_wide(spans))
        .select(
            *PARTITION,
            "observed_ms",
            "under_min_isr_ms",
            "at_min_isr_ms",
            "offline_ms",
            "under_replicated_ms",
            "min_isr_size",
        )
    )


def _replication_factor() -> Column:
    """Return how many replicas a partition has without those that are still being added."""
    return fn.size("replicas") - fn.coalesce(fn.size("adding"), fn.lit(0))


def _per_partition(spans: DataFrame) -> DataFrame:
    return spans.groupBy(*PARTITION).agg(
        fn.sum("span_ms").alias("observed_ms"),
        _sum_where("under").alias("under_min_isr_ms"),
        _sum_where("at_min").alias("at_min_isr_ms"),
        _sum_where("offline").alias("offline_ms"),
        _sum_where("short").alias("under_replicated_ms"),
        fn.min("isr_size").alias("min_isr_size"),
    )


def _topic_wide(spans: DataFrame) -> DataFrame:
    return (
        spans.withColumn("seen_ms", _newly_covered(_ordered(), fn.lit(True)))
        .withColumn("under_ms", _newly_covered(_ordered("under"), fn.col("under")))
        .withColumn("edge_ms", _newly_covered(_ordered("at_min"), fn.col("at_min")))
        .withColumn("dark_ms", _newly_covered(_ordered("offline"), fn.col("offline")))
        .withColumn("short_ms", _newly_covered(_ordered("short"), fn.col("short")))
        .groupBy(*TOPIC)
        .agg(
            fn.sum("seen_ms").alias("observed_ms"),
            fn.sum("under_ms").alias("under_min_isr_ms"),
            fn.sum("edge_ms").alias("at_min_isr_ms"),
            fn.sum("dark_ms").alias("offline_ms"),
            fn.sum("short_ms").alias("under_replicated_ms"),
            fn.min("isr_size").alias("min_isr_size"),
        )
        .withColumn("partition", fn.lit(None).cast("int"))
    )


def _ordered(*flag: str) -> WindowSpec:
    before = Window.partitionBy(*TOPIC, *flag).orderBy("start_ms", "end_ms", "partition")
    return before.rowsBetween(Window.unboundedPreceding, -1)


def _newly_covered(earlier: WindowSpec, counts: Column) -> Column:
    """Return how much an interval adds to the union of those that began before it (in ms)."""
    reached = fn.coalesce(fn.max("end_ms").over(earlier), fn.col("start_ms"))
    added = fn.col("end_ms") - fn.greatest(reached, fn.col("start_ms"))
    return fn.when(counts, fn.greatest(added, fn.lit(0.0))).when(~counts, fn.lit(0.0))


def _sum_where(flag: str) -> Column:
    return fn.sum(fn.when(fn.col(flag), fn.col("span_ms")).when(~fn.col(flag), fn.lit(0.0)))
