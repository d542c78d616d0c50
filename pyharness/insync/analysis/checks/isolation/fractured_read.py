"""Finds fractured reads: transactions of which a consumer read some records and not others.

Kafka promises a consumer of committed records all records of a committed transaction. It does
not promise to deliver those of several partitions at one time. So the check counts what was read
by the end of a repeat, when every partition was read to its end.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly
from insync.analysis.checks.history import (
    PARTITION,
    TRANSACTION,
    anomaly_rows,
    bounded,
    operation,
)
from insync.analysis.checks.isolation.transactions import transaction_and_end, was_read

NAME = "fractured-read"


def find(fates: DataFrame) -> DataFrame:
    """Return a row per transaction that was read in part, at its first record that was not read.

    `fates` as of records.record_fates. A row shows the transaction's records, up to the limit.
    """
    record = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.concat(
            transaction_and_end(),
            fn.when(was_read(), fn.lit(", read")).otherwise(fn.lit(", not read")),
        ),
    )  # fmt: skip
    unread = fn.when(~was_read(), fn.col("seq"))
    fractured = (
        fates.where(fn.col("transaction").isNotNull() & (fn.col("end") != "aborted"))
        .groupBy(*TRANSACTION)
        .agg(
            fn.count_if(was_read()).alias("read"),
            fn.count(fn.lit(1)).alias("records"),
            fn.min_by("partition", unread).alias("partition"),
            fn.min_by("offset", unread).alias("offset"),
            bounded(fn.collect_set(record)).alias("operations"),
        )
        .where((fn.col("read") > 0) & (fn.col("read") < fn.col("records")))
    )
    return anomaly_rows(
        fractured.select(*PARTITION, "offset", "operations"),
        NAME,
        "offset",
        "offset",
        fn.col("operations"),
    )


ANOMALIES = (
    Anomaly(
        name=NAME,
        old_name="torn",
        label="part of a transaction was read",
        meaning="Some records of a transaction were read, and others were not by the end of the "
        "repeat.",
        shown_by="its records, each read or not read",
        query=lambda history: find(history.fates),
        metric="torn",
        metric_table="transactions",
        known_if="there are transactions",
    ),
)
