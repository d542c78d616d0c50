"""Finds aborted reads (Adya's G1a): records of aborted transactions that a consumer read."""

from __future__ import annotations

from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Found
from insync.analysis.checks.history import operation
from insync.analysis.checks.isolation.transactions import (
    seen_ms,
    seen_offset,
    transaction_and_end,
    was_seen,
)

NAME = "aborted-read"


def found() -> Found:
    """Find the records of aborted transactions that were read."""
    shown = [
        operation(
            "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
            note=transaction_and_end(),
        ),
        operation("read", seq="seq", offset=seen_offset(), at_ms=seen_ms()),
    ]  # fmt: skip
    fits = (fn.col("end") == "aborted") & was_seen()
    return Found(fn.lit(NAME), fits, seen_offset(), seen_offset(), fn.array(*shown))


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="record of an aborted transaction was read",
        meaning="A consumer that reads committed records only read a record of an aborted "
        "transaction (Adya's and Jepsen's G1a).",
        shown_by="the record with its transaction, and the read",
        by=found,
        metric="aborted_read",
        metric_table="transactions",
        known_if="there are transactions",
    ),
)
