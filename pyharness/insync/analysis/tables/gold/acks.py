"""Computes latencies, of acks and end to end, the longest gap between acks, and errors.

A record is acked when its delivery report has no error. Latency counts from the time at which the
record was due (open loop), which excludes coordinated omission. Records that failed or were never
answered have no latency. The tables count them beside the percentiles, because a stall may show
only there.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, is_acked
from insync.analysis.tables.gold.gaps import longest_gaps
from insync.analysis.tables.gold.quantiles import COARSE, histogram, merged, percentiles

BINS = 240
"""How many bins `latency_over_time` has in a repeat: one per few pixels of a chart."""

PERMILLE = {"p50_ms": 500, "p90_ms": 900, "p99_ms": 990, "p999_ms": 999}


def outcome() -> Column:
    """Return how an operation ended: "acked", "failed" or "unanswered"."""
    failed = fn.col("error").isNotNull()
    return (
        fn.when(is_acked(), "acked").when(failed, fn.lit("failed")).otherwise(fn.lit("unanswered"))
    )


def latency_histogram(operations: DataFrame) -> DataFrame:
    """Count operations by partition, outcome and bucket of ack latency.

    The columns are bucket_us (null without an ack), records, top_ms, total_us. Every table of
    latencies is computed from it, and its size does not grow with the number of operations.
    """
    with_outcome = operations.withColumns(
        {"outcome": outcome(), "acked_ms": fn.when(is_acked(), fn.col("latency_ms"))}
    )
    return histogram(with_outcome, "acked_ms", [*PARTITION, "outcome"])


def ack_latency(counted: DataFrame) -> DataFrame:
    """Return counts and percentiles (ms) per partition, and per repeat (`partition` null).

    `counted` is the table latency_histogram.
    """
    words = ("acked", "failed", "unanswered")
    of_word = (fn.when(fn.col("outcome") == word, fn.col("records")) for word in words)
    return percentiles(
        merged(and_whole(counted), [*PARTITION, "outcome"]),
        PARTITION,
        PERMILLE,
        fn.sum("records").alias("sent"),
        *(
            fn.coalesce(fn.sum(records), fn.lit(0)).alias(word)
            for word, records in zip(words, of_word, strict=True)
        ),
    )


def and_whole(counted: DataFrame) -> DataFrame:
    """Count every row for its partition, and again for the whole topic, with a null partition."""
    both = fn.array("partition", fn.lit(None).cast("int"))
    return counted.withColumn("partition", fn.explode(both))


def errors(operations: DataFrame) -> DataFrame:
    """Count failed operations by partition and Kafka's name of the error."""
    failed = operations.where(fn.col("error").isNotNull())
    return failed.groupBy(*PARTITION, "error").agg(
        fn.count(fn.lit(1)).alias("records"),
        fn.min("sent_ms").alias("first_ms"),
        fn.max("sent_ms").alias("last_ms"),
    )


def ack_gaps(produce: DataFrame, partitions: DataFrame) -> DataFrame:
    """Return the longest time without an ack per partition, `gap_ms`.

    The repeat's start and end count as acks, so a partition without any ack has a gap as long as
    the repeat. If all records of a partition were answered, its end is the last answer, because
    the repeat then only waits for other partitions. `produce` has the columns of the produce lines.
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
        .join(fn.broadcast(partitions), PARTITION, "inner")
        .where(fn.col("done_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .select(*PARTITION, fn.col("done_ms").alias("at_ms"))
    )
    return longest_gaps(edges.unionByName(acks), PARTITION)


def latency_over_time(produce: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the median and the longest ack latency of the records due in each bin of a repeat.

    There are rows per partition, and for the whole topic (`partition` null). `since_ms` is the
    start of the bin, counted from the repeat's start; `bin_ms` is its length.
    """
    bin_ms = fn.ceil((fn.col("end_ms") - fn.col("start_ms")) / BINS).cast("double")
    since = fn.col("sent_ms") - fn.col("start_ms")
    keys = [*PARTITION, "since_ms", "bin_ms"]
    binned = (
        produce.where(is_acked())
        .join(fn.broadcast(repeats.select(*REPEAT, "start_ms", "end_ms")), REPEAT, "inner")
        .withColumn("bin_ms", fn.greatest(bin_ms, fn.lit(1.0)))
        .withColumn("since_ms", fn.floor(since / fn.col("bin_ms")) * fn.col("bin_ms"))
    )
    fine = and_whole(histogram(binned, "latency_ms", keys, COARSE))
    acked = fn.sum("records").alias("acked")
    return percentiles(merged(fine, keys), keys, {"p50_ms": 500}, acked).select(
        *keys, "acked", "p50_ms", "max_ms"
    )


def end_to_end(fates: DataFrame) -> DataFrame:
    """Return counts and percentiles (ms) per partition, and per repeat (`partition` null).

    The first read of a record counts, by a consumer without a group. Transactional records, which
    wait for their commit, do not count. `fates` as of records.record_fates.
    """
    read = fates.where(fn.col("sent_ms").isNotNull() & fn.col("transaction").isNull())
    took = read.where(fn.col("read_ms").isNotNull()).withColumn(
        "took_ms", fn.greatest(fn.col("read_ms") - fn.col("sent_ms"), fn.lit(0.0))
    )
    counted = and_whole(histogram(took, "took_ms", PARTITION))
    return percentiles(
        merged(counted, PARTITION), PARTITION, PERMILLE, fn.sum("records").alias("read")
    )
