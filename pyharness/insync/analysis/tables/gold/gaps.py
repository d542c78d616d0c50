"""Computes the longest time without an event that should happen regularly."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

_BIN_MS = 10_000.0
"""The length of a bin: moments are sorted within bins, so a hot partition is many tasks."""
LONG_MS = 500.0


def longest_gaps(moments: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return `gap_ms`, the longest time between two successive moments per `keys`.

    `long_gaps` is how many of these times are longer than LONG_MS.

    `moments` has the keys and `at_ms`. The first and the last moment are the ends of the time to
    search, so the caller adds them.
    """
    binned = moments.withColumn("bin", fn.floor(fn.col("at_ms") / _BIN_MS))
    in_bin = Window.partitionBy(*keys, "bin").orderBy("at_ms")
    bins = (
        binned.withColumn("gap_ms", fn.col("at_ms") - fn.lag("at_ms").over(in_bin))
        .groupBy(*keys, "bin")
        .agg(
            fn.max("gap_ms").alias("inside"),
            fn.count_if(fn.col("gap_ms") > LONG_MS).alias("long_inside"),
            fn.min("at_ms").alias("first_ms"),
            fn.max("at_ms").alias("last_ms"),
        )
    )
    in_order = Window.partitionBy(*keys).orderBy("bin")
    between = fn.col("first_ms") - fn.lag("last_ms").over(in_order)
    return (
        bins.withColumn("between", between)
        .groupBy(*keys)
        .agg(
            fn.max(fn.greatest("inside", "between")).alias("gap_ms"),
            (fn.sum("long_inside") + fn.count_if(fn.col("between") > LONG_MS)).alias("long_gaps"),
        )
        .where("gap_ms IS NOT NULL")
    )
