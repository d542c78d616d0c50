"""Order: what a partition promises about it, and how its consumers saw it.

Offsets are the order. A record acked before another was due stands before it, whoever sent
them; an idempotent producer's records stand in the order of its sequence; and a consumer sees
one offset after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, anomaly, operation
from insync.analysis.checks.running import with_most, with_previous

_CONSUMER = [*PARTITION, "consumer"]
_SENDER = [*PARTITION, "sender"]


def reordered(fates: DataFrame) -> DataFrame:
    """Return a row per record that stands before others which it should stand behind.

    `fates` as of insync.analysis.checks.records. It is shown with the first that it stands before.
    Without idempotence a retried record may pass others that are on their way with it: there
    only real time counts, for which the clock of all clients must be one.
    """
    placed = fates.withColumn("position", fn.coalesce("offset", "first_offset")).where(
        fn.col("position").isNotNull()
    )
    return _overtaken(
        placed.where(fn.col("sent_ms").isNotNull()),
        PARTITION,
        "sent_ms",
        fn.col("acked") & (fn.col("most_sent_ms") > fn.col("done_ms")),
    ).unionByName(
        _overtaken(
            placed.where("idempotent").withColumn("sender", fn.coalesce("producer", fn.lit(0))),
            _SENDER,
            "seq",
            fn.col("most_seq") > fn.col("seq"),
        )
    )


def _overtaken(rows: DataFrame, keys: Sequence[str], most: str, wrong: Column) -> DataFrame:
    """One row per record that is `most` among all before a row that is `wrong`."""
    carried = [name for name in ("position", "seq", "producer", "sent_ms") if name != most]
    found = with_most(rows, keys, "position", most, carried).where(wrong)
    culprits = found.groupBy(*PARTITION, "most_position").agg(
        fn.min("most_seq").alias("most_seq"),
        fn.min("most_producer").alias("most_producer"),
        fn.min("most_sent_ms").alias("most_sent_ms"),
        fn.max("position").alias("last_position"),
        *(
            fn.min_by(name, "position").alias(name)
            for name in ("position", "seq", "producer", "done_ms")
        ),
    )
    sent = operation(
        "produce", who="most_producer", seq="most_seq", offset="most_position",
        at_ms="most_sent_ms",
    )  # fmt: skip
    passed = operation("ack", who="producer", seq="seq", offset="position", at_ms="done_ms")
    return anomaly(culprits, "reordered", "most_position", "last_position", [sent, passed])


def polls(consume: DataFrame, fates: DataFrame) -> DataFrame:
    """Return a row per read that came after one of a higher offset, or that passed records over.

    Kinds "poll_back" and "skipped". `consume` has the columns of its event lines; without `nth`
    the time of the read tells the order. A line that stands there twice is one read. `fates` as
    made by `records`: in a partition with transactions, where the ends of transactions
    and what was aborted have offsets too, only acked records count as passed over.
    """
    transactional = _transactional(fates)
    again = (fn.col("order") == fn.col("previous_order")) & (
        fn.col("offset") == fn.col("previous_offset")
    )
    back = (fn.col("offset") <= fn.col("previous_offset")) & ~again
    passed = (fn.col("offset") > fn.col("passed_from")) & fn.col("read_to").isNull()
    odd = (
        _in_order(consume)
        .join(fn.broadcast(transactional), PARTITION, "left")
        .where(back | passed)
        .withColumns(
            {
                "kind": fn.when(back, fn.lit("poll_back")).otherwise(fn.lit("skipped")),
                "from": fn.when(back, fn.col("offset")).otherwise(fn.col("passed_from")),
                "to": fn.when(back, fn.col("previous_offset")).otherwise(fn.col("passed_to")),
            }
        )
    )
    shown = [
        operation(
            "read", who="consumer", seq="previous_seq", offset="previous_offset",
            at_ms="previous_read_ms",
        ),
        operation("read", who="consumer", seq="seq", offset="offset", at_ms="read_ms"),
    ]  # fmt: skip
    return anomaly(odd, fn.col("kind"), "from", "to", shown).unionByName(
        _passed_over(fates, transactional)
    )


def _in_order(consume: DataFrame) -> DataFrame:
    """Return the reads with what their consumer read before, and the offsets between."""
    seen = consume.select(
        *PARTITION,
        fn.coalesce("consumer", fn.lit(0)).alias("consumer"),
        fn.coalesce(fn.col("nth").cast("double"), "read_ms").alias("order"),
        "offset",
        "seq",
        "read_ms",
    )
    columns = ["order", "offset", "seq", "read_ms"]
    return with_previous(seen, _CONSUMER, "order", columns).withColumns(
        {"passed_from": fn.col("previous_offset") + 1, "passed_to": fn.col("offset") - 1}
    )


def _transactional(fates: DataFrame) -> DataFrame:
    """PARTITION, read_to (the highest offset) of those with records of transactions."""
    return (
        fates.groupBy(*PARTITION)
        .agg(
            fn.max("transaction").alias("transaction"),
            fn.max("last_offset").alias("read_to"),
        )
        .where(fn.col("transaction").isNotNull())
        .select(*PARTITION, "read_to")
    )


def _passed_over(fates: DataFrame, transactional: DataFrame) -> DataFrame:
    unread = fates.where(fn.col("acked") & (fn.col("times_read") == 0))
    passed = unread.join(fn.broadcast(transactional), PARTITION, "inner").where(
        fn.col("offset") < fn.col("read_to")
    )
    shown = [
        operation("ack", who="producer", seq="seq", offset="offset", at_ms="done_ms"),
        operation("read", offset="read_to"),
    ]
    return anomaly(passed, "skipped", "offset", "offset", shown)
