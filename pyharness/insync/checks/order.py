"""Order: what a partition promises about it, and how its consumers saw it.

Offsets are the order. A record acked before another was due stands before it, whoever sent
them; an idempotent producer's records stand in the order of its sequence; and a consumer sees
one offset after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.checks.history import PARTITION, anomaly, operation
from insync.checks.running import with_most, with_previous

_CONSUMER = [*PARTITION, "consumer"]
_SENDER = [*PARTITION, "sender"]


def reordered(fates: DataFrame) -> DataFrame:
    """Return a row per record that stands before others which it should stand behind.

    `fates` as of insync.checks.records. It is shown with the first that it stands before.
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


def polls(consume: DataFrame) -> DataFrame:
    """Return a row per read that came after one of a higher offset, or that passed offsets over.

    Kinds "poll_back" and "skipped". `consume` has the columns of its event lines; without `nth`
    the time of the read tells the order. A line that stands there twice is one read.
    """
    seen = consume.select(
        *PARTITION,
        fn.coalesce("consumer", fn.lit(0)).alias("consumer"),
        fn.coalesce(fn.col("nth").cast("double"), "read_ms").alias("order"),
        "offset",
        "seq",
        "read_ms",
    )
    columns = ["order", "offset", "seq", "read_ms"]
    in_order = with_previous(seen, _CONSUMER, "order", columns).withColumns(
        {
            "passed_from": fn.col("previous_offset") + 1,
            "passed_to": fn.col("offset") - 1,
        }
    )
    before = operation(
        "read", who="consumer", seq="previous_seq", offset="previous_offset",
        at_ms="previous_read_ms",
    )  # fmt: skip
    then = operation("read", who="consumer", seq="seq", offset="offset", at_ms="read_ms")
    shown = [before, then]
    same = (fn.col("order") == fn.col("previous_order")) & (
        fn.col("offset") == fn.col("previous_offset")
    )
    back = in_order.where((fn.col("offset") <= fn.col("previous_offset")) & ~same)
    skipped = in_order.where(fn.col("offset") > fn.col("passed_from"))
    return anomaly(back, "poll_back", "offset", "previous_offset", shown).unionByName(
        anomaly(skipped, "skipped", "passed_from", "passed_to", shown)
    )
