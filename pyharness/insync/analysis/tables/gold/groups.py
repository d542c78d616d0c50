"""Computes the figures of consumer groups: rebalances, times without an owner, lag."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.group_skip import unprocessed
from insync.analysis.checks.history import PARTITION, REPEAT

_GROUP = [*REPEAT, "group"]


def groups(group: DataFrame, consume: DataFrame) -> DataFrame:
    """Return one row per repeat and group.

    `gap_ms` is the longest time in which a partition had no owner: from when one member gave it
    back to when the next one got it; null if none was given to another. The arguments have the
    columns of the event lines.
    """
    is_read, is_lag = (fn.col("type") == name for name in ("read", "lag"))
    counted = group.groupBy(*_GROUP).agg(
        fn.max("protocol").alias("protocol"),
        fn.countDistinct("member").alias("members"),
        fn.count_if(fn.col("type").isin("revoked", "lost")).alias("rebalances"),
        fn.max(fn.when(is_lag, fn.col("lag"))).alias("max_lag"),
        fn.count_if(is_read).alias("processed"),
        fn.countDistinct(fn.when(is_read, fn.struct("partition", "offset"))).alias("different"),
    )
    left = unprocessed(consume, group).groupBy(*_GROUP).agg(fn.count(fn.lit(1)).alias("left"))
    return (
        counted.join(_gaps(group), _GROUP, "left")
        .join(left, _GROUP, "left")
        .withColumn("reprocessed", fn.col("processed") - fn.col("different"))
        .withColumn("unread", fn.coalesce("left", fn.lit(0)))
    )


def _gaps(group: DataFrame) -> DataFrame:
    """Return the longest time without an owner of each group.

    A member that lost a partition may learn that after the next one got it, so only what is given
    back begins such a time.
    """
    moves = group.where(fn.col("type").isin("assigned", "revoked"))
    in_order = Window.partitionBy(*PARTITION, "group").orderBy("t_ms")
    following = moves.withColumns(
        {"then": fn.lead("type").over(in_order), "then_ms": fn.lead("t_ms").over(in_order)}
    )
    passed_on = (fn.col("type") == "revoked") & (fn.col("then") == "assigned")
    return (
        following.where(passed_on)
        .groupBy(*_GROUP)
        .agg(fn.max(fn.col("then_ms") - fn.col("t_ms")).alias("gap_ms"))
    )
