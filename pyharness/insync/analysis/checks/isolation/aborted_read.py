"""Finds aborted reads (Adya's G1a): records of aborted transactions that a consumer read."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly
from insync.analysis.checks.history import anomaly_rows, operation
from insync.analysis.checks.isolation.transactions import (
    first_seen,
    transaction_and_end,
    was_seen,
)

NAME = "aborted-read"


def find(fates: DataFrame) -> DataFrame:
    """Return the records of aborted transactions that were read; as of records.record_fates."""
    read = fates.where((fn.col("end") == "aborted") & was_seen())
    shown = [
        operation(
            "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
            note=transaction_and_end(),
        ),
        operation("read", seq="seq", offset="seen_offset", at_ms="seen_ms"),
    ]  # fmt: skip
    return anomaly_rows(first_seen(read), NAME, "seen_offset", "seen_offset", shown)


ANOMALIES = (
    Anomaly(
        name=NAME,
        old_name="aborted_read",
        label="record of an aborted transaction was read",
        meaning="A consumer that reads committed records only read a record of an aborted "
        "transaction (Adya's and Jepsen's G1a).",
        shown_by="the record with its transaction, and the read",
        query=lambda history: find(history.fates),
        metric="aborted_read",
        metric_table="transactions",
        known_if="there are transactions",
    ),
)
