"""How the producers fared: ack latency, the longest silence, latency over time.

A record is acked when its delivery report came without an error. Latency counts from
the moment it was due. Records that failed or were never answered have no latency;
they are counted beside the percentiles, since a stall can hide in them.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.checks.history import PARTITION, REPEAT, is_acked
from insync.tables.gaps import longest_gaps

_TOPIC = ["arm", "repeat", "topic"]
BINS = 240
"""Bins of `latency_over_time` in a repeat: one per few pixels of a chart."""


def ack_latency(produce: DataFrame) -> DataFrame:
    """Return counts, percentiles and mean (ms) per partition, and per repeat (`partition` null)."""
    p50, p90, p99, p999 = (fn.percentile("acked_ms", share) for share in (0.5, 0.9, 0.99, 0.999))
    return (
        produce.withColumn("acked_ms", fn.when(is_acked(), fn.col("latency_ms")))
        .groupingSets([PARTITION, _TOPIC], *PARTITION)
        .agg(
            fn.count(fn.lit(1)).alias("sent"),
            fn.count_if(is_acked()).alias("acked"),
            fn.count_if(fn.col("error").isNotNull()).alias("failed"),
            fn.count_if(fn.col("error").isNull() & fn.col("done_ms").isNull()).alias("unanswered"),
            p50.alias("p50_ms"),
            p90.alias("p90_ms"),
            p99.alias("p99_ms"),
            p999.alias("p999_ms"),
            fn.max("acked_ms").alias("max_ms"),
            fn.avg("acked_ms").alias("mean_ms"),
        )
        .select(
            *PARTITION,
            "sent",
            "acked",
            "failed",
            "unanswered",
            "p50_ms",
            "p90_ms",
            "p99_ms",
            "p999_ms",
            "max_ms",
            "mean_ms",
        )
    )


def ack_gaps(produce: DataFrame, partitions: DataFrame) -> DataFrame:
    """Per partition the longest time without an ack: gap_ms, and from_ms to to_ms (epoch).

    The repeat's start and end count as acks, so a partition that never acked has a gap as long
    as the repeat. For a partition the end is when its last record was answered, if all were:
    from then on the repeat waits for others.
    """
    last_due = fn.greatest("sent_ms", fn.coalesce("done_ms", fn.lit(float("inf"))))
    settled = produce.groupBy(*PARTITION).agg(fn.max(last_due).alias("settled_ms"))
    edges = (
        partitions.join(settled, PARTITION, "left")
        .withColumn("over_ms", fn.least("end_ms", "settled_ms"))
        .select(*PARTITION, fn.explode(fn.array("start_ms", "over_ms")).alias("at_ms"))
    )
    acks = (
        produce.where(is_acked())
        .join(partitions, PARTITION, "inner")
        .where(fn.col("done_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .select(*PARTITION, fn.col("done_ms").alias("at_ms"))
    )
    return longest_gaps(edges.unionByName(acks), PARTITION)


def latency_over_time(produce: DataFrame, repeats: DataFrame) -> DataFrame:
    """Median and slowest ack of the records due in each bin of a repeat.

    Per partition, and per repeat (`partition` null). `since_ms` is where the bin begins,
    counted from the repeat's start; `bin_ms` is how long it is.
    """
    bin_ms = fn.ceil((fn.col("end_ms") - fn.col("start_ms")) / BINS).cast("double")
    since = fn.col("sent_ms") - fn.col("start_ms")
    keys = [*PARTITION, "since_ms", "bin_ms"]
    return (
        produce.where(is_acked())
        .join(repeats.select(*REPEAT, "start_ms", "end_ms"), REPEAT, "inner")
        .withColumn("bin_ms", fn.greatest(bin_ms, fn.lit(1.0)))
        .withColumn("since_ms", fn.floor(since / fn.col("bin_ms")) * fn.col("bin_ms"))
        .groupingSets([keys, [key for key in keys if key != "partition"]], *keys)
        .agg(
            fn.count(fn.lit(1)).alias("acked"),
            fn.median("latency_ms").alias("p50_ms"),
            fn.max("latency_ms").alias("max_ms"),
        )
        .select(*keys, "acked", "p50_ms", "max_ms")
    )
