"""Finds misplaced records: those that nobody sent, and those at another offset than before."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Found
from insync.analysis.checks.history import operation

UNEXPECTED = "unexpected"
MOVED = "moved"


def unexpected() -> Found:
    """Find the records that were read and have no produce line."""
    read = operation("read", seq="seq", offset="first_offset", at_ms="read_ms")
    fits = (fn.col("times_read") > 0) & fn.col("sent_ms").isNull()
    first, last = fn.col("first_offset"), fn.col("last_offset")
    return Found(fn.lit(UNEXPECTED), fits, first, last, fn.array(read))


def moved() -> Found:
    """Find the records that are not at the offset of their ack, or of the live consumer's read.

    A record at several offsets, one of which is that of its ack, is a duplicate. What the fresh
    consumer read counts, if it read the record.
    """
    now = fn.coalesce("fresh_first_offset", "first_offset")
    now_to = fn.coalesce("fresh_last_offset", "last_offset")
    gone = fn.coalesce(~fn.col("offset").between(now, now_to), fn.lit(False))
    was = fn.when(gone, fn.col("offset")).otherwise(_other_read())
    shown = [
        fn.when(
            fn.col("offset").isNotNull(),
            operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms"),
        ),
        fn.when(
            ~was.eqNullSafe(fn.col("offset")),
            operation("read", seq="seq", offset=was, at_ms="read_ms"),
        ),
        operation("read", seq="seq", offset=now),
    ]
    fits = (fn.col("times_read") > 0) & (gone | _re_read_elsewhere())
    return Found(fn.lit(MOVED), fits, was, now, fn.array_compact(fn.array(*shown)))


def _re_read_elsewhere() -> Column:
    """Return whether the live consumer read a record where the fresh one does not find it."""
    before = fn.col("first_offset") < fn.col("fresh_first_offset")
    behind = fn.col("last_offset") > fn.col("fresh_last_offset")
    return fn.coalesce(before | behind, fn.lit(False))


def _other_read() -> Column:
    before = fn.col("first_offset") < fn.col("fresh_first_offset")
    return fn.when(before, fn.col("first_offset")).otherwise(fn.col("last_offset"))


ANOMALIES = (
    Anomaly(
        name=UNEXPECTED,
        label="a record that nobody sent",
        meaning="A consumer read an intact record that no producer sent.",
        shown_by="the read",
        by=unexpected,
        metric="unexpected",
    ),
    Anomaly(
        name=MOVED,
        label="acked at one offset, read at another",
        meaning="A record is not at the offset of its ack, or not where it was read during the "
        "repeat.",
        shown_by="the ack, and the reads at other offsets",
        by=moved,
        metric="moved",
    ),
)
