"""Transactions, as a consumer sees them that reads committed records only: all or nothing.

Kafka promises it all records of a committed transaction and none of an aborted one. It does not
promise that those of several partitions are read at one time; so what counts is what had been
read at the end of a repeat, up to the end of every partition.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, TRANSACTION, anomaly, bounded, operation


def transaction_fates(fates: DataFrame, lines: DataFrame) -> DataFrame:
    """One row per transaction: `end`, `records`, how many were `read`, and what is wrong with it.

    `fates` as made by `records`; `lines` has the columns of the event lines. `torn` is
    one of which a part was read: it was committed as a whole or not at all, also where its
    producer never learned which. `aborted_read` are the records of an aborted one that were
    read. One that left no line of its end has an unknown one.
    """
    records = (
        fates.where(fn.col("transaction").isNotNull())
        .groupBy(*TRANSACTION)
        .agg(
            fn.count(fn.lit(1)).alias("records"),
            fn.count_if(_was_read()).alias("read"),
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
            fn.when(aborted, fn.col("read")).otherwise(fn.lit(0)).alias("aborted_read"),
        )
    )


def aborted_reads(fates: DataFrame) -> DataFrame:
    """Return the records of aborted transactions that were read (Adya's G1a)."""
    read = fates.where((fn.col("end") == "aborted") & _was_read())
    shown = [
        operation(
            "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms", note=_named()
        ),
        operation("read", seq="seq", offset="first_offset", at_ms="read_ms"),
    ]
    return anomaly(read, "aborted_read", "first_offset", "last_offset", shown)


def torn(fates: DataFrame) -> DataFrame:
    """Return a row per transaction of which a part was read, at its first record that was not.

    Shown are its records, as far as the row holds them.
    """
    record = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.concat(
            _named(), fn.when(_was_read(), fn.lit(", read")).otherwise(fn.lit(", not read"))
        ),
    )  # fmt: skip
    unread = fn.when(~_was_read(), fn.col("seq"))
    found = (
        fates.where(fn.col("transaction").isNotNull() & (fn.col("end") != "aborted"))
        .groupBy(*TRANSACTION)
        .agg(
            fn.count_if(_was_read()).alias("read"),
            fn.count(fn.lit(1)).alias("records"),
            fn.min_by("partition", unread).alias("partition"),
            fn.min_by("offset", unread).alias("offset"),
            bounded(fn.collect_set(record)).alias("operations"),
        )
        .where((fn.col("read") > 0) & (fn.col("read") < fn.col("records")))
    )
    return anomaly(
        found.select(*PARTITION, "offset", "operations"),
        "torn",
        "offset",
        "offset",
        fn.col("operations"),
    )


def _was_read() -> Column:
    return fn.col("times_read") > 0


def _named() -> Column:
    return fn.concat(fn.lit("transaction "), "transaction", fn.lit(", "), "end")
