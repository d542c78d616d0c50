"""Finds nonmonotonic sends: records that are in the log in another order than they were sent.

Of two records of one transaction this is Jepsen's internal variant, which has its own name.

The offsets are the order of the log. A record that was acked before another was due must have the
lower offset, whichever producers sent them. Records of one idempotent producer must have the
order of their sequence numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import PARTITION, anomaly_rows, operation
from insync.analysis.checks.preceding import with_most

NAME = "nonmonotonic-send"
INTERNAL = "int-nonmonotonic-send"


def find(fates: DataFrame) -> DataFrame:
    """Return a row per record whose offset is too low, with the first record that it overtook.

    `fates` as of records.record_fates. Without idempotence a retried record may rightly overtake
    others that are in flight with it. So there only real time counts, and all clients must share
    one clock.
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
            [*PARTITION, "sender"],
            "seq",
            fn.col("most_seq") > fn.col("seq"),
        )
    )


def _overtaken(rows: DataFrame, keys: Sequence[str], most: str, wrong: Column) -> DataFrame:
    """Return one row per record that has the largest `most` of all rows before a `wrong` row."""
    columns = ("position", "seq", "producer", "sent_ms", "done_ms", "acked", "transaction")
    found = with_most(rows, keys, "position", most, columns).where(wrong)
    overtaking = found.groupBy(*PARTITION, "most_position").agg(
        *(
            fn.min(f"most_{name}").alias(f"most_{name}")
            for name in ("seq", "producer", "sent_ms", "transaction")
        ),
        fn.max("position").alias("last_position"),
        *(
            fn.min_by(name, "position").alias(name)
            for name in ("position", "seq", "producer", "done_ms", "transaction")
        ),
    )
    sent = operation(
        "produce", who="most_producer", seq="most_seq", offset="most_position",
        at_ms="most_sent_ms",
    )  # fmt: skip
    passed = operation("ack", who="producer", seq="seq", offset="position", at_ms="done_ms")
    kind = fn.when(fn.col("transaction") == fn.col("most_transaction"), fn.lit(INTERNAL)).otherwise(
        fn.lit(NAME)
    )
    return anomaly_rows(overtaking, kind, "most_position", "last_position", [sent, passed])


_BY = Check(find, ("fates",))

ANOMALIES = (
    Anomaly(
        name=NAME,
        label="records in another order than sent",
        meaning="A record has a lower offset than one that was acked before it was due; or two "
        "records of one idempotent producer have offsets in another order than it sent them.",
        shown_by="the record whose offset is too low, and the first that it overtook",
        by=_BY,
        metric="reordered",
    ),
    Anomaly(
        name=INTERNAL,
        label="records of a transaction in another order than sent",
        meaning="Two records of one transaction have offsets in another order than it sent them.",
        shown_by="the record whose offset is too low, and the first that it overtook",
        by=_BY,
        metric="reordered",
    ),
)
