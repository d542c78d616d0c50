"""Computes how soon a topic recovered after a fault was lifted."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT, is_acked

_FAULT = [*REPEAT, "fault_no"]


def recovery(
    faults: DataFrame, intervals: DataFrame, operations: DataFrame, repeats: DataFrame
) -> DataFrame:
    """Return one row per lifted fault, over all partitions of its repeat.

    `isr_whole_ms` is the time from the lift until every ISR was full, 0 if all were; null if one
    was not before the next fault or the repeat's end. `backlog_ms` is the time from the lift until
    the last record that was due during the fault was acked, 0 if all were acked before; null if
    one never was.
    """
    next_ms = fn.lead("injected_ms").over(Window.partitionBy(*REPEAT).orderBy("fault_no"))
    lifted = (
        faults.withColumn("next_ms", next_ms)
        .join(repeats.select(*REPEAT, "end_ms"), REPEAT, "inner")
        .where(fn.col("lifted_ms").isNotNull())
        .select(
            *_FAULT,
            "injected_ms",
            "lifted_ms",
            fn.least("end_ms", "next_ms").alias("until_ms"),
        )
    )
    return lifted.join(_whole_again(lifted, intervals), _FAULT, "left").join(
        _drained(lifted, operations), _FAULT, "left"
    )


def _whole_again(lifted: DataFrame, intervals: DataFrame) -> DataFrame:
    broken = (fn.col("isr_size") < fn.size("replicas")) | (fn.col("leader") < 0)
    spans = intervals.select(*REPEAT, "start_ms", "end_ms", broken.alias("broken"))
    inside = (fn.col("end_ms") > fn.col("lifted_ms")) & (fn.col("start_ms") < fn.col("until_ms"))
    last = fn.max(fn.when(fn.col("broken"), fn.col("end_ms")))
    return (
        lifted.join(spans, REPEAT, "inner")
        .where(inside)
        .groupBy(*_FAULT, "lifted_ms", "until_ms")
        .agg(fn.coalesce(last, fn.col("lifted_ms")).alias("whole_ms"))
        .where(fn.col("whole_ms") < fn.col("until_ms"))
        .select(*_FAULT, (fn.col("whole_ms") - fn.col("lifted_ms")).alias("isr_whole_ms"))
    )


def _drained(lifted: DataFrame, operations: DataFrame) -> DataFrame:
    due = fn.col("sent_ms").between(fn.col("injected_ms"), fn.col("lifted_ms"))
    late_ms = fn.greatest(fn.max("done_ms") - fn.col("lifted_ms"), fn.lit(0.0))
    return (
        operations.join(fn.broadcast(lifted), REPEAT, "inner")
        .where(due)
        .groupBy(*_FAULT, "lifted_ms")
        .agg(
            fn.count_if(~is_acked()).alias("never"),
            late_ms.alias("backlog_ms"),
        )
        .where(fn.col("never") == 0)
        .select(*_FAULT, "backlog_ms")
    )
