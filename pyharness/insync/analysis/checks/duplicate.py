"""Finds duplicates: records that are in the log at more than one offset."""

from __future__ import annotations

from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Found
from insync.analysis.checks.history import operation
from insync.analysis.checks.records import is_duplicated

NAME = "duplicate"
IDEMPOTENT = "idempotent-duplicate"


def found() -> Found:
    """Find the records at several offsets, each with the first and the last of them.

    The kind depends on whether the record's producer was idempotent.
    """
    kind = fn.when(fn.col("idempotent"), fn.lit(IDEMPOTENT)).otherwise(fn.lit(NAME))
    sent = operation(
        "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
        note=fn.when(fn.col("idempotent"), fn.lit("idempotent")),
    )  # fmt: skip
    reads = [operation("read", seq="seq", offset=o) for o in ("first_offset", "last_offset")]
    return Found(
        kind, is_duplicated(), fn.col("first_offset"), fn.col("last_offset"), fn.array(sent, *reads)
    )


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="one record at two offsets",
        meaning="One record of a producer without idempotence is in the log at two offsets. A "
        "retry may do that, which breaks no promise of Kafka.",
        shown_by="the record and both reads",
        by=found,
        metric="duplicated",
        metric_table="readback",
    ),
    Anomaly(
        name=IDEMPOTENT,
        label="one record of an idempotent producer at two offsets",
        meaning="One record of an idempotent or transactional producer is in the log at two "
        "offsets. Either a broker appended a batch twice (then there is a `repeated-sequence`, "
        "too), or the client sent the record again under another epoch or sequence number.",
        shown_by="the record and both reads",
        by=found,
        metric="duplicated_idempotent",
        metric_table="readback",
    ),
)
