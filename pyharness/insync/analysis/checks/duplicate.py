"""Finds duplicates: records that are in the log at more than one offset."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly
from insync.analysis.checks.history import anomaly_rows, operation
from insync.analysis.checks.records import is_duplicated

NAME = "duplicate"


def find(fates: DataFrame) -> DataFrame:
    """Return the records at several offsets, each with the first and the last of them.

    `fates` as of records.record_fates.
    """
    sent = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.when(fn.col("idempotent"), fn.lit("idempotent")),
    )  # fmt: skip
    reads = [operation("read", seq="seq", offset=o) for o in ("first_offset", "last_offset")]
    rows = fates.where(is_duplicated())
    return anomaly_rows(rows, NAME, "first_offset", "last_offset", [sent, *reads])


ANOMALIES = (
    Anomaly(
        name=NAME,
        old_name="duplicated",
        label="one record at two offsets",
        meaning="One record is in the log at two offsets. A retry of a producer without "
        "idempotence may do that, which breaks no promise of Kafka.",
        shown_by="the record and both reads",
        query=lambda history: find(history.fates),
        metric="duplicated",
        metric_table="readback",
    ),
)
