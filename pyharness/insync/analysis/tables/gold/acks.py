"""Computes latencies, of acks and end to end, the longest gap between acks, and errors.

A record is acked when its delivery report has no error. Latency counts from the time at which the
record was due (open loop), which excludes coordinated omission. Records that failed or were never
answered have no latency. The tables count them beside the percentiles, because a stall may show
only there.

Percentiles are of any number of values, in memory that does not grow with that number. Values (ms)
are counted in buckets of a few leading digits, like HdrHistogram's, and in whole microseconds below
the first full decade. A percentile is the largest value in the bucket that contains its rank
(nearest rank): exact for few values, else at most one unit of the last digit too large. Spark
counts the buckets before the shuffle, so a hot partition costs no more than others. Engines that
compute the same integers compute the same percentiles.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, is_acked

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


def end_to_end(fates: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return counts and percentiles (ms) per partition, and per repeat (`partition` null).

    The first read of a record counts, by a consumer without a group. Transactional records, which
    wait for their commit, do not count, and neither do those that were due before their repeat's
    window opened. `fates` as of records.record_fates.
    """
    due = fn.col("sent_ms") >= fn.col("start_ms")
    read = fates.join(repeats.select(*REPEAT, "start_ms"), REPEAT, "inner").where(
        due & fn.col("transaction").isNull()
    )
    took = read.where(fn.col("read_ms").isNotNull()).withColumn(
        "took_ms", fn.greatest(fn.col("read_ms") - fn.col("sent_ms"), fn.lit(0.0))
    )
    counted = and_whole(histogram(took, "took_ms", PARTITION))
    return percentiles(
        merged(counted, PARTITION), PARTITION, PERMILLE, fn.sum("records").alias("read")
    )


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
