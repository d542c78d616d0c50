"""Computes the fate of each record: whether it was acked, and at which offsets it was read.

A record is identified by its topic, partition and sequence number. It is lost if it was acked or
read and cannot be read any more, and duplicated if it was read at more than one offset. An ack in
a transaction counts only if the transaction was committed.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.comparable import fresh_partitions
from insync.analysis.checks.history import PARTITION, TOPIC, each, is_acked, typed

_RECORD = [*PARTITION, "seq"]
_SPREAD = 1024
STILL_ACKS_MS = 1_000.0
"""For how long a former leader may ack records until it knows of its successor."""
_LINE = {
    "transaction": "bigint", "producer": "int", "idempotent": "boolean", "sent_ms": "double",
    "done_ms": "double", "acked": "boolean", "offset": "bigint", "read_offset": "bigint",
    "fresh_offset": "bigint", "read_ms": "double", "inside_ms": "double",
    "inside_offset": "bigint",
}  # fmt: skip


def record_fates(
    produce: DataFrame,
    consume: DataFrame,
    read_back: DataFrame,
    transactions: DataFrame | None = None,
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
    the first. The arguments have the columns of the event lines, None for those without any line.
    The lines of all kinds are aggregated per record in one shuffle; the joins are with the
    transactions and partitions, which are few.
    """
    lines = [_sent(produce), _read(consume)]
    if reads is not None:
        lines.append(_read_inside(reads))
    records = each(reduce(DataFrame.unionByName, lines), _RECORD).agg(
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
    own = ("transaction", "producer", "idempotent", "sent_ms", "done_ms")
    at = fn.when(is_acked() & (fn.col("offset") >= 0), fn.col("offset"))
    columns = {name: fn.col(name) for name in own} | {"acked": is_acked(), "offset": at}
    return typed(produce, _RECORD, _LINE, **columns)


def _read(consume: DataFrame) -> DataFrame:
    """Return the reads of intact records: a corrupt one has no sequence number."""
    intact = consume.where(fn.col("corrupt").isNull())
    at, fresh = fn.col("offset"), fn.when(fn.col("fresh"), fn.col("offset"))
    when = fn.col("read_ms")
    return typed(intact, _RECORD, _LINE, read_offset=at, fresh_offset=fresh, read_ms=when)


def _read_inside(reads: DataFrame) -> DataFrame:
    when, at = fn.col("read_ms"), fn.col("offset")
    return typed(reads, _RECORD, _LINE, inside_ms=when, inside_offset=at)


def _with_ends(records: DataFrame, transactions: DataFrame | None) -> DataFrame:
    """Add each record's `end` and `asked_ms`; `acked` only if its transaction was committed."""
    inside = fn.col("transaction").isNotNull()
    if transactions is None:
        known = records.withColumns(
            {
                "known_end": fn.lit(None).cast("string"),
                "asked_ms": fn.lit(None).cast("double"),
            }
        )
    else:
        ends = transactions.select(
            *TOPIC,
            fn.col("transaction").alias("own"),
            fn.col("end").alias("known_end"),
            fn.coalesce("asked_ms", fn.lit(float("inf"))).alias("asked_ms"),
        ).dropDuplicates([*TOPIC, "own"])
        # Records outside of transactions get one of many keys that match no transaction. With one
        # key, such as null, a single task would join all of them.
        own = fn.coalesce("transaction", -1 - fn.pmod("seq", fn.lit(_SPREAD)))
        known = records.withColumn("own", own).join(ends, [*TOPIC, "own"], "left")
    ended = fn.when(inside, fn.coalesce("known_end", fn.lit("unknown")))
    counts = ~inside | (fn.col("end") == "committed")
    return known.withColumn("end", ended).withColumn("acked", fn.col("acked") & counts)


def readback(comparable: DataFrame, fates: DataFrame, changes: DataFrame) -> DataFrame:
    """Count the records of each partition: acked, read, lost, duplicated, duplicated_idempotent.

    `lost_at_moves` of the lost ones were acked before an election that the scenario asked for, with
    no other change of the leader in between, `lost_at_unclean` acked or read before an unclean one.
    `changes` has the columns of leader_changes.
    `transactional` is whether some are in transactions, `read_to` the highest offset that was read:
    by the fresh consumer, if there was one. `comparable` has a row for each PARTITION, also for
    those without any line, and read_to_end.
    """
    last = fn.when(fn.col("fresh_reads").isNull(), fn.col("last_offset")).otherwise(
        fn.col("fresh_last_offset")
    )
    counted = fates.groupBy(*PARTITION).agg(
        fn.count_if("acked").alias("acked"),
        fn.count_if(fn.col("times_read") > 0).alias("read"),
        fn.count_if(is_lost()).alias("lost"),
        fn.count_if(is_duplicated()).alias("duplicated"),
        fn.count_if(is_duplicated() & fn.col("idempotent")).alias("duplicated_idempotent"),
        (fn.count("transaction") > 0).alias("transactional"),
        fn.max(last).alias("read_to"),
    )
    numbers = (
        "acked", "read", "lost", "duplicated", "duplicated_idempotent", "lost_at_moves",
        "lost_at_unclean",
    )  # fmt: skip
    counted = counted.join(_lost_at_moves(fates, changes), PARTITION, "left")
    return comparable.join(counted, PARTITION, "left").select(
        *PARTITION,
        *(fn.coalesce(name, fn.lit(0)).alias(name) for name in numbers),
        fn.coalesce("transactional", fn.lit(False)).alias("transactional"),
        "read_to",
        "read_to_end",
    )


def _lost_at_moves(fates: DataFrame, changes: DataFrame) -> DataFrame:
    moves = changes.select(*PARTITION, "t_ms", "planned", "unclean")
    seen_ms = fn.coalesce(fn.when(fn.col("acked"), fn.col("done_ms")), "read_ms")
    return (
        fates.where(is_lost())
        .join(moves, PARTITION, "inner")
        .where(fn.col("t_ms") >= seen_ms - STILL_ACKS_MS)
        .groupBy(*_RECORD, "acked")
        .agg(*(fn.min_by(name, "t_ms").alias(name) for name in ("planned", "unclean")))
        .groupBy(*PARTITION)
        .agg(
            fn.count_if(fn.col("planned") & fn.col("acked")).alias("lost_at_moves"),
            fn.count_if("unclean").alias("lost_at_unclean"),
        )
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
