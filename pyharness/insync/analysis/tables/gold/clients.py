"""Computes the figures of transactions, and of consumer groups: rebalances, gaps, lag.

Kafka promises a read_committed consumer all records of a committed transaction and none of an
aborted one. It does not promise to deliver those of several partitions at one time. So the counts
are of what was read by the end of a repeat, when every partition was read to its end.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.group_skip import unprocessed
from insync.analysis.checks.history import PARTITION, REPEAT, TRANSACTION
from insync.analysis.checks.isolation.transactions import transaction_fates
from insync.analysis.tables.gold.acks import longest_gaps

_GROUP = [*REPEAT, "group"]


def groups(group: DataFrame, consume: DataFrame) -> DataFrame:
    """Return one row per repeat and group.

    `gap_ms` is the longest time in which a partition had no owner: from when one member gave it
    back to when the next one got it; null if none was given to another. Takes event lines.
    """
    is_read, is_lag = (fn.col("type") == name for name in ("read", "lag"))
    place = fn.concat_ws("-", "partition", "offset")  # a struct takes gigabytes embedded
    counted = group.groupBy(*_GROUP).agg(
        fn.max("protocol").alias("protocol"),
        fn.countDistinct("member").alias("members"),
        fn.count_if(fn.col("type").isin("revoked", "lost")).alias("rebalances"),
        fn.max(fn.when(is_lag, fn.col("lag"))).alias("max_lag"),
        fn.count_if(is_read).alias("processed"),
        fn.countDistinct(fn.when(is_read, place)).alias("different"),
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


_PRODUCER = [*REPEAT, "producer"]


def is_plain() -> Column:
    """Return whether a produce line's record was written outside of transactions."""
    return fn.col("transaction").isNull()


def by_producer(lines: DataFrame, fates: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per repeat and producer: how its transactions ended, and commit times.

    `fates` as of records.record_fates. `commit_gap_ms` is the longest time without a commit; the
    repeat's start and end count as commits. A transaction whose line is recorded twice counts once.
    """
    lines = lines.dropDuplicates(TRANSACTION)
    wholes = transaction_fates(fates, lines).select(*TRANSACTION, "torn", "aborted_read")
    counted = (
        lines.join(wholes, TRANSACTION, "inner")
        .groupBy(*_PRODUCER)
        .agg(
            fn.count_if(fn.col("end") == "committed").alias("committed"),
            fn.count_if(fn.col("end") == "aborted").alias("aborted"),
            fn.count_if(fn.col("end") == "unknown").alias("unknown"),
            fn.count_if(fn.col("wanted") == "abort").alias("meant_to_abort"),
            # Exact ones are bounded: a producer ends one transaction after the other.
            fn.percentile(_commit_ms(), 0.5).alias("commit_p50_ms"),
            fn.percentile(_commit_ms(), 0.99).alias("commit_p99_ms"),
            fn.max(_commit_ms()).alias("commit_max_ms"),
            fn.count_if("torn").alias("torn"),
            fn.sum("aborted_read").alias("aborted_read"),
        )
    )
    return counted.join(_commit_gaps(lines, repeats), _PRODUCER, "left")


def _commit_ms() -> Column:
    return fn.when(fn.col("end") == "committed", fn.col("took_ms"))


def _commit_gaps(lines: DataFrame, repeats: DataFrame) -> DataFrame:
    window = repeats.select(*REPEAT, "start_ms", "end_ms")
    edges = (
        lines.select(*_PRODUCER)
        .distinct()
        .join(window, REPEAT, "inner")
        .select(*_PRODUCER, fn.explode(fn.array("start_ms", "end_ms")).alias("at_ms"))
    )
    commits = (
        lines.where(fn.col("end") == "committed")
        .join(window, REPEAT, "inner")
        .where(fn.col("ended_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .select(*_PRODUCER, fn.col("ended_ms").alias("at_ms"))
    )
    gaps = longest_gaps(edges.unionByName(commits), _PRODUCER)
    return gaps.select(*_PRODUCER, fn.col("gap_ms").alias("commit_gap_ms"))
