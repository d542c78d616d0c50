"""Computes how long partitions were under-replicated, under or at min ISR, or offline.

There are rows per partition, and for the whole topic (`partition` is null): the time in which at
least one of its partitions was in the state, with overlapping intervals counted once.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.tables.gold.acks import and_whole


def availability(intervals: DataFrame, min_insync_replicas: int | Column) -> DataFrame:
    """Return how long each PARTITION was in each state, and its `min_isr_size`.

    `intervals` is the table isr_intervals. A replica that a reassignment still adds makes no
    partition under-replicated, as in Kafka's own count; `under_replicated_ms` is null where the
    replicas are not known.
    """
    size = fn.col("isr_size")
    replication_factor = fn.size("replicas") - fn.coalesce(fn.size("adding"), fn.lit(0))
    states = {
        "under_min_isr_ms": size < min_insync_replicas,
        "at_min_isr_ms": size == min_insync_replicas,
        "offline_ms": fn.col("leader") < 0,
        "under_replicated_ms": size < replication_factor,
    }
    spans = and_whole(intervals.withColumns(states))
    return (
        spans.withColumns({state: _newly_covered(state) for state in states})
        .groupBy(*PARTITION)
        .agg(*(fn.sum(state).alias(state) for state in states), fn.min(size).alias("min_isr_size"))
    )


def _newly_covered(state: str) -> Column:
    """Return what an interval in a state adds to the union of those that began before it (ms)."""
    before = Window.partitionBy(*PARTITION, state).orderBy("start_ms", "end_ms")
    earlier = before.rowsBetween(Window.unboundedPreceding, -1)
    reached = fn.coalesce(fn.max("end_ms").over(earlier), fn.col("start_ms"))
    added = fn.col("end_ms") - fn.greatest(reached, fn.col("start_ms"))
    is_in = fn.col(state)
    return fn.when(is_in, fn.greatest(added, fn.lit(0.0))).when(~is_in, fn.lit(0.0))
