"""Finds what is wrong at single offsets: two records, a corrupt one, or none where one was acked.

All three compare what acks, reads and the replicas' logs have at each offset. They share a module
and a query because that is one pass over all of them.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check, Found, found_rows
from insync.analysis.checks.comparable import WHOLE
from insync.analysis.checks.history import (
    PARTITION,
    anomaly_rows,
    each,
    is_acked,
    operation,
    typed,
)

INCONSISTENT = "inconsistent-offsets"
CORRUPT = "corrupt"
MISSING = "missing-from-log"
_PLACE = [*PARTITION, "offset"]


def find(
    comparable: DataFrame,
    produce: DataFrame,
    consume: DataFrame,
    inside: DataFrame,
    batches: DataFrame,
) -> DataFrame:
    """Return a row per offset and anomaly.

    `comparable` is the result of the function of that name, `inside` are the reads in transactions,
    and the others have the columns of the event lines. A row about two records shows the lowest and
    the highest sequence number among the acks, and among the reads. Logs are compared only if those
    of all replicas were read.
    """
    lines = [_acks(produce), _reads(consume), _reads_inside(inside), _held(batches)]
    seen = each(reduce(DataFrame.unionByName, lines), _PLACE).agg(
        *(
            summed(f"{how}_seq").alias(f"{name}_{how}")
            for how in ("acked", "read")
            for name, summed in (("low", fn.min), ("high", fn.max))
        ),
        fn.max("producer").alias("producer"),
        fn.min("acked_ms").alias("acked_ms"),
        fn.bit_count(fn.bit_or("replica_bit")).alias("held_by"),
    )
    two = fn.least("low_acked", "low_read") < fn.greatest("high_acked", "high_read")
    logs = comparable.where("whole").select(*PARTITION, "replicas", "from_offset", "to_offset")
    at = fn.col("offset")
    cases = [
        Found(fn.lit(INCONSISTENT), two, at, at, _two_records()),
        Found(fn.lit(MISSING), _is_missing(), at, at, fn.array(_ack())),
    ]
    found = found_rows(seen.join(fn.broadcast(logs), PARTITION, "left"), cases)
    return found.unionByName(_corrupt(consume))


def _corrupt(consume: DataFrame) -> DataFrame:
    lines = consume.where("corrupt IS NOT NULL").groupBy(*_PLACE)
    found = lines.agg(fn.max("corrupt").alias("note"))
    read = operation("read", offset="offset", note=fn.col("note"))
    return anomaly_rows(found, CORRUPT, "offset", "offset", [read])


_LINE = {
    "acked_seq": "bigint", "acked_ms": "double", "producer": "int", "read_seq": "bigint",
    "replica_bit": "bigint",
}  # fmt: skip
"""No column is text, because Spark sorts all rows to aggregate texts."""


def _acks(produce: DataFrame) -> DataFrame:
    acked = produce.where(is_acked() & (fn.col("offset") >= 0))
    seq, at, by = fn.col("seq"), fn.col("done_ms"), fn.col("producer")
    return typed(acked, _PLACE, _LINE, acked_seq=seq, acked_ms=at, producer=by)


def _reads(consume: DataFrame) -> DataFrame:
    intact = fn.when(fn.col("corrupt").isNull(), fn.col("seq"))
    return typed(consume, _PLACE, _LINE, read_seq=intact)


def _reads_inside(reads: DataFrame) -> DataFrame:
    return typed(reads, _PLACE, _LINE, read_seq=fn.col("seq"))


def _held(batches: DataFrame) -> DataFrame:
    """Return the offsets in each replica's log, without those of batches that are broken."""
    whole = fn.col("valid") & (fn.col("last_offset") >= fn.col("base_offset"))
    offsets = batches.where(whole).select(
        *PARTITION,
        fn.explode(fn.sequence("base_offset", "last_offset")).alias("offset"),
        # One bit per replica; the ids are small (insync.nodes).
        fn.expr("shiftleft(1L, replica)").alias("bit"),
    )
    return typed(offsets, _PLACE, _LINE, replica_bit=fn.col("bit"))


def _is_missing() -> Column:
    """Return whether an acked offset is in no log, or below the high watermark not in all."""
    held_by = fn.coalesce("held_by", fn.lit(0))
    compared = fn.col("offset").between(fn.col("from_offset"), fn.col("to_offset") - 1)
    lacking = (held_by == 0) | (compared & (held_by < fn.col("replicas")))
    return fn.col("low_acked").isNotNull() & fn.col("replicas").isNotNull() & lacking


def _two_records() -> Column:
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


def _ack() -> Column:
    held_by = fn.coalesce("held_by", fn.lit(0))
    note = fn.concat(fn.lit("in the logs of "), held_by, fn.lit(" of "), "replicas")
    return operation(
        "ack", who="producer", seq="low_acked", offset="offset", at_ms="acked_ms",
        note=fn.concat(note, fn.lit(" replicas")),
    )  # fmt: skip


_BY = Check(
    find,
    ("comparable",),
    ("operations", "consume.lines", "transaction_reads.lines", "batches.lines"),
)

ANOMALIES = (
    Anomaly(
        name=CORRUPT,
        label="a record was changed",
        meaning="The value of a record that a consumer read is not one that was written to this "
        "topic and partition: its checksum does not match, or it names another place.",
        shown_by="the read, with what is wrong",
        by=_BY,
        metric="corrupt",
        known=Check(lambda comparable: comparable.where("verifiable"), ("comparable",)),
        known_if="the readback is complete, and the values have a checksum",
    ),
    Anomaly(
        name=INCONSISTENT,
        label="two records at one offset",
        meaning="Acks and reads name two records at one offset.",
        shown_by="the lowest and the highest sequence number of the acks, and of the reads",
        by=_BY,
        metric="inconsistent",
    ),
    Anomaly(
        name=MISSING,
        label="acked, and not in the log",
        meaning="The offset of an ack is in no replica's log; or, below the high watermark, it is "
        "not in all of them.",
        shown_by="the ack, and how many logs have the offset",
        by=_BY,
        metric="missing_from_log",
        known=WHOLE,
        known_if="the log of every replica was read",
    ),
)
