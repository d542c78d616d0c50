"""Finds nonmonotonic polls and poll skips: reads that go back, and reads that skip records.

Both compare each read with the one before it by the same consumer. They share a module and a
query because that is one pass over all reads.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, History
from insync.analysis.checks.comparable import ORDERED_IF, ordered
from insync.analysis.checks.history import PARTITION, anomaly_rows, operation
from insync.analysis.checks.preceding import with_previous
from insync.analysis.checks.records import is_lost

BACK = "nonmonotonic-poll"
SKIP = "poll-skip"


def find(consume: DataFrame, fates: DataFrame, leader_alone: Column | None = None) -> DataFrame:
    """Return a row per read at an offset not above the one before, and per read that skips some.

    `consume` has the columns of the event lines; reads without `nth` are left out, because their
    times do not give their order if two are equal. A line that is recorded twice is one read.
    `fates` as of records.record_fates. In partitions with transactions the markers and the aborted
    records have offsets as well, which no consumer sees. There only acked records count as skipped,
    and not those outside of transactions that the `leader_alone` acked (acks=1), by default none:
    they may be lost, and a marker or an aborted record may have their offset.
    """
    transactional = _transactional(fates)
    again = (fn.col("order") == fn.col("previous_order")) & (
        fn.col("offset") == fn.col("previous_offset")
    )
    back = (fn.col("offset") <= fn.col("previous_offset")) & ~again
    skips = (fn.col("offset") > fn.col("skipped_from")) & fn.col("transactional").isNull()
    odd = (
        _in_order(consume)
        .join(fn.broadcast(transactional), PARTITION, "left")
        .where(back | skips)
        .withColumns(
            {
                "kind": fn.when(back, fn.lit(BACK)).otherwise(fn.lit(SKIP)),
                "from": fn.when(back, fn.col("offset")).otherwise(fn.col("skipped_from")),
                "to": fn.when(back, fn.col("previous_offset")).otherwise(fn.col("skipped_to")),
            }
        )
    )
    shown = [
        operation(
            "read", who="consumer", seq="previous_seq", offset="previous_offset",
            at_ms="previous_read_ms", note=_which(),
        ),
        operation(
            "read", who="consumer", seq="seq", offset="offset", at_ms="read_ms", note=_which()
        ),
    ]  # fmt: skip
    return anomaly_rows(odd, fn.col("kind"), "from", "to", shown).unionByName(
        _unread(fates, transactional, fn.lit(False) if leader_alone is None else leader_alone)
    )


def _in_order(consume: DataFrame) -> DataFrame:
    """Add to each read the one before it by the same consumer, and the offsets between them."""
    seen = consume.where(fn.col("nth").isNotNull()).select(
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


def _which() -> Column:
    return fn.when(fn.col("fresh"), fn.lit("fresh consumer"))


def _transactional(fates: DataFrame) -> DataFrame:
    """Return the partitions with transactions: PARTITION, and read_to, the highest offset read.

    That is the fresh consumer's, if there was one.
    """
    last = fn.when(fn.col("fresh_reads").isNull(), fn.col("last_offset")).otherwise(
        fn.col("fresh_last_offset")
    )
    return (
        fates.groupBy(*PARTITION)
        .agg(
            fn.max("transaction").alias("transaction"),
            fn.max(last).alias("read_to"),
        )
        .where(fn.col("transaction").isNotNull())
        .select(*PARTITION, "read_to", fn.lit(True).alias("transactional"))
    )


def _unread(fates: DataFrame, transactional: DataFrame, leader_alone: Column) -> DataFrame:
    """Return the acked records below `read_to` that were not read."""
    by_all = ~leader_alone | fn.col("transaction").isNotNull()
    skipped = (
        fates.where(is_lost() & fn.col("acked") & by_all)
        .join(fn.broadcast(transactional), PARTITION, "inner")
        .where(fn.col("offset") < fn.col("read_to"))
    )
    shown = [
        operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms"),
        operation("read", offset="read_to"),
    ]
    return anomaly_rows(skipped, SKIP, "offset", "offset", shown)


def _query(history: History) -> DataFrame:
    return find(history.consume, history.fates, fn.col("acks") == "1")


ANOMALIES = (
    Anomaly(
        name=BACK,
        old_name="poll_back",
        label="a consumer read backwards",
        meaning="A consumer read an offset that is not above the one that it read before.",
        shown_by="the two reads",
        query=_query,
        metric="reordered",
        known=ordered,
        known_if=ORDERED_IF,
    ),
    Anomaly(
        name=SKIP,
        old_name="skipped",
        label="a consumer skipped records",
        meaning="A consumer skipped offsets. In a partition with transactions, whose markers and "
        "aborted records have offsets that no consumer sees: it skipped records that "
        "all in-sync replicas had acked.",
        shown_by="the two reads, or the ack of the skipped record",
        query=_query,
        metric="gaps",
        known=ordered,
        known_if=ORDERED_IF,
    ),
)
