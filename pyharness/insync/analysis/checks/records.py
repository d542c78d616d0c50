"""Each record's fate: nothing acked may be missing, nothing may be there twice.

A record is known by its topic, partition and sequence number. It is lost if it was acked
and never read, and duplicated if it was read at more than one offset. An ack inside of a
transaction promises nothing before the commit does.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import (
    PARTITION,
    TRANSACTION,
    anomaly,
    each,
    is_acked,
    operation,
)

_RECORD = [*PARTITION, "seq"]
_SPREAD = 1024


def record_fates(produce: DataFrame, consume: DataFrame, transactions: DataFrame) -> DataFrame:
    """One row per record that was to be produced or was read.

    PARTITION, seq; of the produce line: producer, idempotent, sent_ms, done_ms, offset (of the
    ack), transaction and its end (null outside of one); acked: whether it was, and if in a
    transaction then a committed one; of the reads: times_read, first_offset, last_offset,
    read_ms (the first). The arguments have the columns of the event lines. One shuffle: lines of
    both kinds are summed up per record; the join is with the transactions, which are few.
    """
    both = _sent(produce).unionByName(_read(consume), allowMissingColumns=True)
    records = each(both, _RECORD).agg(
        fn.max("transaction").alias("transaction"),
        fn.max("producer").alias("producer"),
        fn.coalesce(fn.max("idempotent"), fn.lit(False)).alias("idempotent"),
        fn.max("sent_ms").alias("sent_ms"),
        fn.max("done_ms").alias("done_ms"),
        fn.coalesce(fn.max("acked"), fn.lit(False)).alias("acked"),
        fn.min("offset").alias("offset"),
        fn.count("read_offset").alias("times_read"),
        fn.min("read_offset").alias("first_offset"),
        fn.max("read_offset").alias("last_offset"),
        fn.min("read_ms").alias("read_ms"),
    )
    return _with_ends(records, transactions)


def _sent(produce: DataFrame) -> DataFrame:
    return produce.select(
        *_RECORD,
        "transaction",
        "producer",
        "idempotent",
        "sent_ms",
        "done_ms",
        is_acked().alias("acked"),
        fn.when(is_acked() & (fn.col("offset") >= 0), fn.col("offset")).alias("offset"),
    )


def _read(consume: DataFrame) -> DataFrame:
    return consume.select(*_RECORD, fn.col("offset").alias("read_offset"), "read_ms")


def _with_ends(records: DataFrame, transactions: DataFrame) -> DataFrame:
    """Add each record's `end` and let `acked` be what was promised."""
    inside = fn.col("transaction").isNotNull()
    ends = transactions.select(*TRANSACTION, fn.col("end").alias("told")).dropDuplicates(
        TRANSACTION
    )
    # What is outside finds nothing, in as many places as there are: else all of it would be in one.
    outside = -1 - fn.pmod("seq", fn.lit(_SPREAD))
    return (
        records.withColumn("own", fn.col("transaction"))
        .withColumn("transaction", fn.coalesce("transaction", outside))
        .join(ends, TRANSACTION, "left")
        .withColumn("transaction", fn.col("own"))
        .withColumn("end", fn.when(inside, fn.coalesce("told", fn.lit("unknown"))))
        .withColumn("acked", fn.col("acked") & (~inside | (fn.col("end") == "committed")))
        .drop("own", "told")
    )


def readback(fates: DataFrame, partitions: DataFrame) -> DataFrame:
    """Per partition: acked, read, lost, duplicated; all numbers of records.

    `partitions` has a row for each (PARTITION), also for those that left nothing.
    """
    counted = fates.groupBy(*PARTITION).agg(
        fn.count_if("acked").alias("acked"),
        fn.count_if(fn.col("times_read") > 0).alias("read"),
        fn.count_if(_is_lost()).alias("lost"),
        fn.count_if(_is_duplicated()).alias("duplicated"),
    )
    numbers = ("acked", "read", "lost", "duplicated")
    return partitions.join(counted, PARTITION, "left").select(
        *PARTITION, *(fn.coalesce(name, fn.lit(0)).alias(name) for name in numbers)
    )


def lost(fates: DataFrame) -> DataFrame:
    """Return the acked records that were never read."""
    acked = operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms")
    return anomaly(fates.where(_is_lost()), "lost", "offset", "offset", [acked])


def duplicated(fates: DataFrame) -> DataFrame:
    """Return the records that stand at several offsets, the first and the last of them.

    A producer that is not idempotent may retry what was written: that much is no promise broken.
    """
    sent = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.when(fn.col("idempotent"), fn.lit("idempotent")),
    )  # fmt: skip
    reads = [operation("read", seq="seq", offset=o) for o in ("first_offset", "last_offset")]
    rows = fates.where(_is_duplicated())
    return anomaly(rows, "duplicated", "first_offset", "last_offset", [sent, *reads])


def _is_lost() -> Column:
    return fn.col("acked") & (fn.col("times_read") == 0)


def _is_duplicated() -> Column:
    return fn.coalesce(fn.col("first_offset") < fn.col("last_offset"), fn.lit(False))
