"""Finds lost writes: records that were acked or read, and that cannot be read any more."""

from __future__ import annotations

from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Found
from insync.analysis.checks.history import operation
from insync.analysis.checks.records import is_lost

NAME = "lost-write"


def found() -> Found:
    """Find the records that are lost."""
    acked = operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms")
    read = operation("read", seq="seq", offset="first_offset", at_ms="read_ms")
    shown = fn.array(fn.when(fn.col("acked"), acked), fn.when(fn.col("times_read") > 0, read))
    at = fn.coalesce("offset", "first_offset")
    return Found(fn.lit(NAME), is_lost(), at, at, fn.array_compact(shown))


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="acked or read before, and gone",
        meaning="A record was acked, or read during the repeat, and the fresh consumer that reads "
        "everything afterwards did not find it; without such a consumer: it was acked "
        "and never read. In a transaction only the acks of a committed one count.",
        shown_by="the ack, and the read before it was lost",
        by=found,
        metric="lost",
        metric_table="readback",
    ),
)
