"""Finds lost writes: acked records that no consumer read."""

from __future__ import annotations

from pyspark.sql import DataFrame

from insync.analysis.checks.base import Anomaly
from insync.analysis.checks.history import anomaly_rows, operation
from insync.analysis.checks.records import is_lost

NAME = "lost-write"


def find(fates: DataFrame) -> DataFrame:
    """Return the acked records that were never read; `fates` as of records.record_fates."""
    acked = operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms")
    return anomaly_rows(fates.where(is_lost()), NAME, "offset", "offset", [acked])


ANOMALIES = (
    Anomaly(
        name=NAME,
        old_name="lost",
        label="acked and never read",
        meaning="A record was acked and never read. In a transaction only the acks of a committed "
        "one count.",
        shown_by="the ack",
        query=lambda history: find(history.fates),
        metric="lost",
        metric_table="readback",
    ),
)
