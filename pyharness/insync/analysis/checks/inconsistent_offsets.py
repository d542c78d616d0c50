"""Finds inconsistent offsets: offsets at which acks and reads name different records."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, History
from insync.analysis.checks.history import PARTITION, anomaly_rows, each, is_acked, operation

NAME = "inconsistent-offsets"
_PLACE = [*PARTITION, "offset"]


def find(produce: DataFrame, consume: DataFrame) -> DataFrame:
    """Return a row per offset at which acks and reads saw more than one record.

    The arguments have the columns of the event lines. A row shows the lowest and the highest
    sequence number among the acks, and among the reads.
    """
    acks = produce.where(is_acked() & (fn.col("offset") >= 0)).select(
        *_PLACE, fn.col("seq").alias("acked_seq")
    )
    reads = consume.select(*_PLACE, fn.col("seq").alias("read_seq"))
    seen = each(acks.unionByName(reads, allowMissingColumns=True), _PLACE).agg(
        *(
            summed(f"{how}_seq").alias(f"{name}_{how}")
            for how in ("acked", "read")
            for name, summed in (("low", fn.min), ("high", fn.max))
        )
    )
    lowest = fn.least("low_acked", "low_read")
    highest = fn.greatest("high_acked", "high_read")
    return anomaly_rows(seen.where(lowest < highest), NAME, "offset", "offset", _shown())


def _shown() -> Column:
    sides = (("ack", "acked"), ("read", "read"))
    shown = [
        fn.when(
            fn.col(f"{end}_{side}").isNotNull(),
            operation(what, seq=f"{end}_{side}", offset="offset"),
        )
        for what, side in sides
        for end in ("low", "high")
    ]
    return fn.array_distinct(fn.array_compact(fn.array(*shown)))


def _query(history: History) -> DataFrame:
    """Compare the reads of the consumers and those in transactions."""
    columns = [*_PLACE, "seq"]
    reads = history.consume.select(columns).unionByName(history.transaction_reads.select(columns))
    return find(history.produce, reads)


ANOMALIES = (
    Anomaly(
        name=NAME,
        old_name="inconsistent",
        label="two records at one offset",
        meaning="Acks and reads name two records at one offset.",
        shown_by="the lowest and the highest sequence number of the acks, and of the reads",
        query=_query,
        metric="inconsistent",
    ),
)
