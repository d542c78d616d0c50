"""Computes how each transaction ended and how many of its records were read."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import TRANSACTION


def transaction_fates(fates: DataFrame, lines: DataFrame) -> DataFrame:
    """Return one row per transaction: producer, end, error, records, read, torn, aborted_read.

    `records` is how many it has, and `read` how many of them were read. `torn` is whether only a
    part was read: also a transaction whose producer never learned its end was committed as a
    whole or not at all. `aborted_read` is how many records of an aborted one were read, also by
    transactions. The end is "unknown" if no line tells it. `fates` as of records.record_fates;
    `lines` has the columns of the event lines.
    """
    records = (
        fates.where(fn.col("transaction").isNotNull())
        .groupBy(*TRANSACTION)
        .agg(
            fn.count(fn.lit(1)).alias("records"),
            fn.count_if(was_read()).alias("read"),
            fn.count_if(was_seen()).alias("seen"),
        )
    )
    ends = lines.select(*TRANSACTION, "producer", "end", "error").dropDuplicates(TRANSACTION)
    aborted = fn.col("end") == "aborted"
    return (
        records.join(ends, TRANSACTION, "left")
        .withColumn("end", fn.coalesce("end", fn.lit("unknown")))
        .select(
            *TRANSACTION,
            "producer",
            "end",
            "error",
            "records",
            "read",
            (~aborted & (fn.col("read") > 0) & (fn.col("read") < fn.col("records"))).alias("torn"),
            fn.when(aborted, fn.col("seen")).otherwise(fn.lit(0)).alias("aborted_read"),
        )
    )


def was_read() -> Column:
    """Return whether the consumer read a record."""
    return fn.col("times_read") > 0


def was_seen() -> Column:
    """Return whether the consumer or a transaction read a record."""
    return was_read() | fn.col("inside_ms").isNotNull()


def seen_ms() -> Column:
    """Return when the consumer or a transaction first read a record."""
    return fn.least("read_ms", "inside_ms")


def seen_offset() -> Column:
    """Return the offset of that read."""
    inside = fn.col("read_ms").isNull() | (fn.col("inside_ms") < fn.col("read_ms"))
    is_inside = fn.col("inside_ms").isNotNull() & inside
    return fn.when(is_inside, fn.col("inside_offset")).otherwise(fn.col("first_offset"))


def transaction_and_end() -> Column:
    """Return a note that names a record's transaction and how it ended."""
    return fn.concat(fn.lit("transaction "), "transaction", fn.lit(", "), "end")
