"""Computes what can be checked of each partition: the ends of its log, and what was recorded.

Checks that compare records with a log need its ends; without them, or without the lines that a
check reads, its number of anomalies is not known.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Check
from insync.analysis.checks.history import PARTITION, TOPIC_OF_ARM


def comparable(
    partitions: DataFrame,
    replica_logs: DataFrame,
    consume: DataFrame,
    isr: DataFrame,
    read_back: DataFrame,
) -> DataFrame:
    """Return a row for each of `partitions`; the others have the columns of the event lines.

    `replicas` is how many the controller's log names at last, `logs_read` how many logs were read
    to their end. `from_offset` is the highest start of the logs, `to_offset` the offset after the
    last that a consumer read: that record was below the high watermark, so every replica that
    caught up has it. `whole` is whether every replica's log was read, something was consumed, and
    no replica was out of the ISR when the repeat ended: such a one need not have the records.

    `log_end` is the lowest offset at which the log is known to end: where the fresh consumer's
    end was, or where it had read to if that is further, because the log may grow after it asked for
    the end; or the end of the longest replica's log if all were read. `position` is how far the
    live consumer had read. `read_to_end` is whether both consumers read everything, null if the run
    did not record it. `verifiable` is whether the values had a checksum.
    """
    named = (
        isr.where((fn.col("kind") == "partition") & (fn.size("replicas") > 0))
        .groupBy(*TOPIC_OF_ARM, "partition")
        .agg(fn.max_by(fn.size("replicas"), fn.struct("t_ms", "line")).alias("replicas"))
    )
    whole = (
        (fn.col("logs_read") == fn.col("replicas"))
        & fn.col("to_offset").isNotNull()
        & ~fn.coalesce(fn.col("in_sync") < fn.col("replicas"), fn.lit(False))
    )
    longest = fn.when(fn.col("logs_read") == fn.col("replicas"), fn.col("longest"))
    return (
        partitions.select(*PARTITION)
        .join(_logs(replica_logs), PARTITION, "left")
        .join(named, [*TOPIC_OF_ARM, "partition"], "left")
        .join(_in_sync(partitions, isr), PARTITION, "left")
        .join(_reads(consume), PARTITION, "left")
        .join(_ends(read_back), PARTITION, "left")
        .select(
            *PARTITION,
            "replicas",
            fn.coalesce("logs_read", fn.lit(0)).alias("logs_read"),
            "from_offset",
            "to_offset",
            fn.coalesce(whole, fn.lit(False)).alias("whole"),
            fn.least(longest, "fresh_end").alias("log_end"),
            "position",
            # A new recording without that line was cut short before it.
            fn.coalesce("read_to_end", fn.when(fn.col("verifiable"), fn.lit(False))).alias(
                "read_to_end"
            ),
            fn.coalesce("verifiable", fn.col("read_to_end").isNotNull()).alias("verifiable"),
        )
    )


def _in_sync(partitions: DataFrame, isr: DataFrame) -> DataFrame:
    """Return how many replicas were in the ISR of each partition when its repeat ended."""
    of_topic = [*TOPIC_OF_ARM, "partition"]
    until_end = (
        isr.where(fn.col("kind") == "partition")
        .select(*of_topic, "t_ms", "line", "isr")
        .join(partitions.select(*PARTITION, "end_ms"), of_topic, "inner")
        .where(fn.col("t_ms") <= fn.col("end_ms"))
    )
    last = fn.max_by(fn.size("isr"), fn.struct("t_ms", "line"))
    return until_end.groupBy(*PARTITION).agg(last.alias("in_sync"))


def fresh_partitions(read_back: DataFrame) -> DataFrame:
    """Return the partitions that a fresh consumer has read to their end."""
    done = fn.col("fresh") & (fn.col("position") >= fn.col("end_offset"))
    return read_back.where(done).select(*PARTITION).distinct()


def _logs(replica_logs: DataFrame) -> DataFrame:
    return replica_logs.groupBy(*PARTITION).agg(
        fn.count_distinct(fn.when(fn.col("problem").isNull(), fn.col("replica"))).alias(
            "logs_read"
        ),
        fn.max("start_offset").alias("from_offset"),
        fn.max("end_offset").alias("longest"),
    )


def _reads(consume: DataFrame) -> DataFrame:
    return consume.groupBy(*PARTITION).agg(
        (fn.max("offset") + 1).alias("to_offset"),
        (fn.count_if(fn.col("fresh").isNull()) == 0).alias("verifiable"),
    )


def _ends(read_back: DataFrame) -> DataFrame:
    behind = fn.count_if(fn.col("position") < fn.col("end_offset"))
    end = fn.greatest("end_offset", "position")
    return read_back.groupBy(*PARTITION).agg(
        fn.min(fn.when(fn.col("fresh"), end)).alias("fresh_end"),
        fn.max(fn.when(~fn.col("fresh"), fn.col("position"))).alias("position"),
        ((behind == 0) & (fn.count_if("fresh") > 0)).alias("read_to_end"),
    )


WHOLE = Check(lambda comparable: comparable.where("whole"), ("comparable",))
"""The partitions of which the log of every replica was read."""
