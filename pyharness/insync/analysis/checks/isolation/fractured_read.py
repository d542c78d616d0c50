"""Finds fractured reads: transactions of which a consumer read some records and not others.

Kafka promises a consumer of committed records all records of a committed transaction. It does
not promise to deliver those of several partitions at one time. So the check counts what was read
by the end of a repeat, when every partition was read to its end.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import (
    MOST_OPERATIONS,
    PARTITION,
    TRANSACTION,
    anomaly_rows,
    operation,
)
from insync.analysis.checks.isolation.transactions import transaction_and_end, was_read

NAME = "fractured-read"


def find(fates: DataFrame) -> DataFrame:
    """Return a row per transaction that was read in part, at its first record that was not read.

    `fates` as of records.record_fates. A row shows the transaction's records, up to the limit.
    """
    inside = fates.where(fn.col("transaction").isNotNull() & (fn.col("end") != "aborted"))
    unread = fn.when(~was_read(), fn.col("seq"))
    fractured = (
        inside.groupBy(*TRANSACTION)
        .agg(
            fn.count_if(was_read()).alias("read"),
            fn.count(fn.lit(1)).alias("records"),
            fn.min_by("partition", unread).alias("partition"),
            fn.min_by("offset", unread).alias("offset"),
        )
        .where((fn.col("read") > 0) & (fn.col("read") < fn.col("records")))
        .select(*PARTITION, "transaction", "offset")
    )
    shown = _first_records(inside.join(fractured.select(*TRANSACTION), TRANSACTION, "left_semi"))
    rows = fractured.join(shown, TRANSACTION, "inner")
    return anomaly_rows(rows, NAME, "offset", "offset", fn.col("operations"))


def _first_records(records: DataFrame) -> DataFrame:
    """Return the first records of each transaction; a transaction may have any number of them."""
    record = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.concat(
            transaction_and_end(),
            fn.when(was_read(), fn.lit(", read")).otherwise(fn.lit(", not read")),
        ),
    )  # fmt: skip
    in_order = Window.partitionBy(*TRANSACTION).orderBy("producer", "seq", "offset", "sent_ms")
    return (
        records.withColumn("nth", fn.row_number().over(in_order))
        .where(fn.col("nth") <= MOST_OPERATIONS)
        .groupBy(*TRANSACTION)
        .agg(fn.array_sort(fn.collect_set(record)).alias("operations"))
    )


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="part of a transaction was read",
        meaning="Some records of a transaction were read, and others were not by the end of the "
        "repeat.",
        shown_by="its records, each read or not read",
        by=Check(find, ("fates",)),
        metric="torn",
        metric_table="transactions",
        known_if="there are transactions",
    ),
)
