"""One offset holds one record, for ever: whoever saw it, in an ack or in a read, saw the same."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, anomaly, each, is_acked, operation

_PLACE = [*PARTITION, "offset"]


def inconsistent(produce: DataFrame, consume: DataFrame) -> DataFrame:
    """Return a row per offset at which acks and reads saw more than one record.

    The arguments have the columns of the event lines. Shown are the lowest and the highest
    sequence number that an ack named, and that a read gave.
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
    return anomaly(seen.where(lowest < highest), "inconsistent", "offset", "offset", _shown())


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
