"""The longest time in which something that should go on did not happen."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn


def longest_gaps(moments: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Per `keys` the longest time between two moments in order: gap_ms, from_ms, to_ms.

    `moments` has the keys and `at_ms`, whose first and last are the edges of what is looked at.
    """
    in_order = Window.partitionBy(*keys).orderBy("at_ms")
    return (
        moments.withColumn("from_ms", fn.lag("at_ms").over(in_order))
        .withColumn("gap_ms", fn.col("at_ms") - fn.col("from_ms"))
        .groupBy(*keys)
        .agg(fn.max(fn.struct("gap_ms", "from_ms", fn.col("at_ms").alias("to_ms"))).alias("gap"))
        .select(*keys, "gap.gap_ms", "gap.from_ms", "gap.to_ms")
    )
