"""Computes the fate of each record: whether it was acked, and at which offsets it was read.

A record is identified by its topic, partition and sequence number. It is lost if it was acked or
read and cannot be read any more, and duplicated if it was read at more than one offset. An ack in
a transaction counts only if the transaction was committed.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.comparable import fresh_partitions
from insync.analysis.checks.history import PARTITION, TRANSACTION, each, is_acked

_RECORD = [*PARTITION, "seq"]
_FATE = (
    "transaction", "producer", "idempotent", "sent_ms", "done_ms", "acked", "offset", "times_read",
    "first_offset", "last_offset", "read_ms", "fresh_reads", "fresh_first_offset",
    "fresh_last_offset", "inside_ms", "inside_offset", "end", "asked_ms",
)  # fmt: skip
_SPREAD = 1024
_INSIDE = {"inside_ms": "double", "inside_offset": "bigint"}


def record_fates(
    produce: DataFrame,
    consume: DataFrame,
    transactions: DataFrame,
    read_back: DataFrame,
    reads: DataFrame | None = None,
) -> DataFrame:
    """Return one row per record that was due or was read.

    Its columns are PARTITION and seq; from the produce line: producer, idempotent, sent_ms,
    done_ms, offset (of the ack), transaction, its end, and asked_ms, when its producer requested
    that end, infinite if never (all null outside of one); acked: whether it was acked, in a
    transaction whether that was committed as well; from the reads: times_read, first_offset,
    last_offset, read_ms (of the first); from those of the fresh consumer fresh_reads,
    fresh_first_offset and fresh_last_offset, null if none read the partition to its end; from the
    reads in transactions, `reads`, which are not counted as read: inside_ms and inside_offset of
    the first. The arguments have the columns of the event lines. The lines of all kinds are
    aggregated per record in one shuffle; the joins are with the transactions and partitions, which
    are few.
    """
    lines = _sent(produce).unionByName(_read(consume), allowMissingColumns=True)
    if reads is not None:
        lines = lines.unionByName(_read_inside(reads), allowMissingColumns=True)
    else:
        lines = lines.withColumns({n: fn.lit(None).cast(t) for n, t in _INSIDE.items()})
    records = each(lines, _RECORD).agg(
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
        fn.min("inside_ms").alias("inside_ms"),
        fn.min_by("inside_offset", "inside_ms").alias("inside_offset"),
        fn.count("fresh_offset").alias("fresh_reads"),
        fn.min("fresh_offset").alias("fresh_first_offset"),
        fn.max("fresh_offset").alias("fresh_last_offset"),
    )
    return _with_ends(_with_fresh(records, read_back), transactions)


def _with_fresh(records: DataFrame, read_back: DataFrame) -> DataFrame:
    """Remove what a fresh consumer read from partitions that none read to their end."""
    whole = fresh_partitions(read_back).withColumn("fresh", fn.lit(True))
    return records.join(fn.broadcast(whole), PARTITION, "left").withColumns(
        {
            name: fn.when(fn.col("fresh"), fn.col(name))
            for name in ("fresh_reads", "fresh_first_offset", "fresh_last_offset")
        }
    )


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
    """Return the reads of intact records: a corrupt one has no sequence number."""
    return consume.where(fn.col("corrupt").isNull()).select(
        *_RECORD,
        fn.col("offset").alias("read_offset"),
        fn.when(fn.col("fresh"), fn.col("offset")).alias("fresh_offset"),
        "read_ms",
    )


def _read_inside(reads: DataFrame) -> DataFrame:
    return reads.select(
        *_RECORD, fn.col("read_ms").alias("inside_ms"), fn.col("offset").alias("inside_offset")
    )


def _with_ends(records: DataFrame, transactions: DataFrame) -> DataFrame:
    """Add each record's `end` and `asked_ms`; `acked` only if its transaction was committed."""
    inside = fn.col("transaction").isNotNull()
    ends = transactions.select(
        *TRANSACTION,
        fn.col("end").alias("known_end"),
        fn.coalesce("asked_ms", fn.lit(float("inf"))).alias("asked_ms"),
    ).dropDuplicates(TRANSACTION)
    # Records outside of transactions get one of many keys that match no transaction. With one key,
    # such as null, a single task would join all of them.
    outside = -1 - fn.pmod("seq", fn.lit(_SPREAD))
    return (
        records.withColumn("own", fn.col("transaction"))
        .withColumn("transaction", fn.coalesce("transaction", outside))
        .join(ends, TRANSACTION, "left")
        .withColumn("transaction", fn.col("own"))
        .withColumn("end", fn.when(inside, fn.coalesce("known_end", fn.lit("unknown"))))
        .withColumn("acked", fn.col("acked") & (~inside | (fn.col("end") == "committed")))
        .select(*_RECORD, *_FATE)
    )


def readback(fates: DataFrame, comparable: DataFrame) -> DataFrame:
    """Count the records of each partition: acked, read, lost, duplicated, duplicated_idempotent.

    `comparable` has a row for each PARTITION, also for those without any line, and read_to_end.
    """
    counted = fates.groupBy(*PARTITION).agg(
        fn.count_if("acked").alias("acked"),
        fn.count_if(fn.col("times_read") > 0).alias("read"),
        fn.count_if(is_lost()).alias("lost"),
        fn.count_if(is_duplicated()).alias("duplicated"),
        fn.count_if(is_duplicated() & fn.col("idempotent")).alias("duplicated_idempotent"),
    )
    numbers = ("acked", "read", "lost", "duplicated", "duplicated_idempotent")
    return comparable.join(counted, PARTITION, "left").select(
        *PARTITION,
        *(fn.coalesce(name, fn.lit(0)).alias(name) for name in numbers),
        "read_to_end",
    )


def is_lost() -> Column:
    """Return whether a record was acked or read before, and cannot be read any more.

    Without a fresh consumer: whether it was acked and never read.
    """
    found = fn.coalesce("fresh_reads", "times_read")
    must_be_there = fn.col("acked") | (
        (fn.col("times_read") > 0) & ~fn.col("end").eqNullSafe("aborted")
    )
    return must_be_there & (found == 0)


def is_duplicated() -> Column:
    """Return whether a record was read at more than one offset."""
    return fn.coalesce(fn.col("first_offset") < fn.col("last_offset"), fn.lit(False))
