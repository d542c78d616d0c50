"""Computes percentiles of any number of values, in memory that does not grow with that number.

Values (ms) are counted in buckets of a few leading digits, like HdrHistogram's, and in whole
microseconds below the first full decade. A percentile is the largest value in the bucket that
contains its rank (nearest rank): exact for few values, else at most one unit of the last digit too
large. Spark counts the buckets before the shuffle, so a hot partition costs no more than others.
Engines that compute the same integers compute the same percentiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

FINE = 4
"""Leading digits for reported percentiles: at most 0.1 % too large."""
COARSE = 3
"""Leading digits for percentiles in charts: at most 1 % too large."""
DECADES = 8
"""How many decades above the first have buckets: with FINE up to 10^9 ms."""


def bucket(ms: Column, digits: int) -> Column:
    """Return the bucket of a duration: its microseconds, truncated to the leading digits."""
    micros = _micros(ms)
    cut = fn.when(micros < 10**digits, micros)
    for decade in range(1, DECADES):
        step = 10**decade
        cut = cut.when(micros < step * 10**digits, micros - micros % step)
    return cut.otherwise(micros - micros % 10**DECADES)


def _micros(ms: Column) -> Column:
    return fn.floor(ms * 1000).cast("long")


def histogram(rows: DataFrame, ms: str, keys: Sequence[str], digits: int = FINE) -> DataFrame:
    """Count rows by `keys` and bucket: bucket_us, records, top_ms (the largest in it), total_us.

    Rows without a duration have the bucket null.
    """
    return rows.groupBy(*keys, bucket(fn.col(ms), digits).alias("bucket_us")).agg(
        fn.count(fn.lit(1)).alias("records"),
        fn.max(ms).alias("top_ms"),
        fn.sum(_micros(fn.col(ms))).alias("total_us"),
    )


def merged(counted: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Return a histogram by fewer keys."""
    return counted.groupBy(*keys, "bucket_us").agg(
        *(fn.sum(name).alias(name) for name in ("records", "total_us")),
        fn.max("top_ms").alias("top_ms"),
    )


def percentiles(
    counted: DataFrame, keys: Sequence[str], permille: Mapping[str, int], *more: Column
) -> DataFrame:
    """Return one row per `keys`: a column per name in `permille`, `max_ms` and `mean_ms`.

    `counted` is a histogram by these keys; shares are in thousandths, so that ranks are integers.
    `more` are aggregates over all rows of a key, including those without a duration.
    """
    of_keys = Window.partitionBy(*keys)
    values = fn.when(fn.col("bucket_us").isNotNull(), fn.col("records"))
    ranked = counted.withColumn("values", values).withColumns(
        {
            "upto": fn.sum("values").over(of_keys.orderBy("bucket_us")),
            "total": fn.sum("values").over(of_keys),
        }
    )
    return ranked.groupBy(*keys).agg(
        *more,
        *(
            fn.min(
                fn.when(fn.col("upto") * 1000 >= fn.col("total") * share, fn.col("top_ms"))
            ).alias(name)
            for name, share in permille.items()
        ),
        fn.max("top_ms").alias("max_ms"),
        (fn.sum("total_us") / fn.sum("values") / 1000).alias("mean_ms"),
    )
