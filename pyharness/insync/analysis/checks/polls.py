"""Finds nonmonotonic polls and poll skips: reads that go back, and reads that skip records.

Both compare each read with the one before it by the same consumer. They share a module and a
query because that is one pass over all reads.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import PARTITION, anomaly_rows, operation
from insync.analysis.checks.preceding import with_previous
from insync.analysis.checks.records import is_lost

BACK = "nonmonotonic-poll"
SKIP = "poll-skip"


def find(consume: DataFrame, readback: DataFrame) -> DataFrame:
    """Return a row per read at an offset not above the one before, and per read that skips some.

    `consume` has the columns of the event lines. A line that is recorded twice is one read.
    In partitions with transactions, as of the table `readback`, the markers and the aborted records
    have offsets as well, which no consumer sees: `find_unread` finds what was skipped there.
    """
    again = (fn.col("order") == fn.col("previous_order")) & (
        fn.col("offset") == fn.col("previous_offset")
    )
    back = (fn.col("offset") <= fn.col("previous_offset")) & ~again
    skips = _leaves_out() & ~fn.coalesce("transactional", fn.lit(False))
    odd = (
        _in_order(consume)
        .where((fn.col("offset") <= fn.col("previous_offset")) | _leaves_out())
        .join(fn.broadcast(readback.select(*PARTITION, "transactional")), PARTITION, "left")
        .where(back | skips)
    )
    which = fn.when(fn.col("fresh"), fn.lit("fresh consumer"))
    return back_or_skip(odd, back, (BACK, SKIP), "consumer", which)


def back_or_skip(
    reads: DataFrame, back: Column, kinds: tuple[str, str], who: str, note: Column
) -> DataFrame:
    """Return a row per read: of the first kind those that go `back`, the others skip offsets.

    They have the columns of preceding.with_previous; `skipped_from` and `skipped_to` are offsets.
    """
    odd = reads.withColumns(
        {
            "kind": fn.when(back, fn.lit(kinds[0])).otherwise(fn.lit(kinds[1])),
            "from": fn.when(back, fn.col("offset")).otherwise(fn.col("skipped_from")),
            "to": fn.when(back, fn.col("previous_offset")).otherwise(fn.col("skipped_to")),
        }
    )
    shown = [
        operation(
            "read", who=who, seq=f"{of}seq", offset=f"{of}offset", at_ms=f"{of}read_ms", note=note
        )
        for of in ("previous_", "")
    ]
    return anomaly_rows(odd, fn.col("kind"), "from", "to", shown)


def _leaves_out() -> Column:
    return fn.col("offset") > fn.col("skipped_from")


def _in_order(consume: DataFrame) -> DataFrame:
    """Add to each read the one before it by the same consumer, and the offsets between them."""
    seen = consume.select(
        *PARTITION,
        fn.coalesce("consumer", fn.lit(0)).alias("consumer"),
        fn.coalesce("fresh", fn.lit(False)).alias("fresh"),
        fn.col("nth").alias("order"),
        "offset",
        "seq",
        "read_ms",
    )
    columns = ["order", "offset", "seq", "read_ms"]
    return with_previous(seen, [*PARTITION, "consumer", "fresh"], "order", columns).withColumns(
        {"skipped_from": fn.col("previous_offset") + 1, "skipped_to": fn.col("offset") - 1}
    )


def find_unread(fates: DataFrame, readback: DataFrame, runs: DataFrame) -> DataFrame:
    """Return the acked records in partitions with transactions that the consumer skipped.

    Those of a producer outside of transactions that only the leader acked (acks=1) do not count:
    they may be lost, and a marker or an aborted record may have their offset.
    """
    transactional = readback.where("transactional").select(*PARTITION, "read_to")
    by_all = fn.col("acks").eqNullSafe(fn.lit("all")) | fn.col("transaction").isNotNull()
    skipped = (
        fates.where(is_lost() & fn.col("acked"))
        .join(fn.broadcast(transactional), PARTITION, "inner")
        .join(fn.broadcast(runs.select("run", "acks")), "run", "inner")
        .where(by_all & (fn.col("offset") < fn.col("read_to")))
    )
    shown = [
        operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms"),
        operation("read", offset="read_to"),
    ]
    return anomaly_rows(skipped, SKIP, "offset", "offset", shown)


def _find(consume: DataFrame, readback: DataFrame, fates: DataFrame, runs: DataFrame) -> DataFrame:
    return find(consume, readback).unionByName(find_unread(fates, readback, runs))


_BY = Check(_find, ("consume.lines", "readback"), ("fates", "runs"))

ANOMALIES = (
    Anomaly(
        name=BACK,
        label="a consumer read backwards",
        meaning="A consumer read an offset that is not above the one that it read before.",
        shown_by="the two reads",
        by=_BY,
        metric="reordered",
    ),
    Anomaly(
        name=SKIP,
        label="a consumer skipped records",
        meaning="A consumer skipped offsets. In a partition with transactions, whose markers and "
        "aborted records have offsets that no consumer sees: it skipped records that "
        "all in-sync replicas had acked.",
        shown_by="the two reads, or the ack of the skipped record",
        by=_BY,
        metric="gaps",
    ),
)
