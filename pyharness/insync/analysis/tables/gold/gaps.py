"""Computes the longest time without an event that should happen regularly."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

_BIN_MS = 10_000.0
"""The length of a bin: moments are sorted within bins, so a hot partition is many tasks."""


def longest_gaps(moments: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return the longest time between two successive moments per `keys`: gap_ms, from_ms, to_ms.

    `moments` has the keys and `at_ms`. The first and the last moment are the ends of the time to
    search, so the caller adds them.
    """
    binned = moments.withColumn("bin", fn.floor(fn.col("at_ms") / _BIN_MS))
    in_bin = Window.partitionBy(*keys, "bin").orderBy("at_ms")
    bins = (
        binned.withColumn("before_ms", fn.lag("at_ms").over(in_bin))
        .groupBy(*keys, "bin")
        .agg(
            fn.max(_gap("before_ms", "at_ms")).alias("inside"),
            fn.min("at_ms").alias("first_ms"),
            fn.max("at_ms").alias("last_ms"),
        )
    )
    in_order = Window.partitionBy(*keys).orderBy("bin")
    return (
        bins.withColumn("before_ms", fn.lag("last_ms").over(in_order))
        .groupBy(*keys)
        .agg(fn.max(fn.greatest("inside", _gap("before_ms", "first_ms"))).alias("gap"))
        .where(fn.col("gap").isNotNull())
        .select(*keys, "gap.gap_ms", "gap.from_ms", "gap.to_ms")
    )


def _gap(before: str, after: str) -> Column:
    """Return a gap as a struct that compares by length; null if there is no moment before."""
    gap = fn.struct(
        (fn.col(after) - fn.col(before)).alias("gap_ms"),
        fn.col(before).alias("from_ms"),
        fn.col(after).alias("to_ms"),
    )
    return fn.when(fn.col(before).isNotNull(), gap)
