"""Joins silver and gold tables to an overview of runs in progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT
from insync.analysis.tables.rows import Row

_COUNTS = ("holds", "shrinks")
_TIMES = ("under_min_isr_ms", "at_min_isr_ms", "offline_ms")


def overview(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return one row per repeat: topic, start_ms, seen_ms, complete, holds, shrinks, and times.

    `seen_ms` is the length of the repeat's window so far. The times are those of the whole topic,
    in milliseconds; null until an ISR is known. `longest_hold_ms` is null if there was none.
    """
    held = (
        tables["holds"]
        .groupBy(*REPEAT)
        .agg(fn.count(fn.lit(1)).alias("holds"), fn.max("held_ms").alias("longest_hold_ms"))
    )
    shrunk = tables["isr_shrinks"].groupBy(*REPEAT).agg(fn.count(fn.lit(1)).alias("shrinks"))
    whole = tables["availability"].where(fn.col("partition").isNull()).select(*REPEAT, *_TIMES)
    return (
        tables["repeats"]
        .join(held, REPEAT, "left")
        .join(shrunk, REPEAT, "left")
        .join(whole, REPEAT, "left")
        .fillna(0, subset=list(_COUNTS))
        .select(
            *REPEAT,
            "topic",
            "start_ms",
            (fn.col("end_ms") - fn.col("start_ms")).alias("seen_ms"),
            "complete",
            "holds",
            "longest_hold_ms",
            "shrinks",
            *_TIMES,
        )
    )


def last_shrinks(shrinks: Sequence[Row], count: int) -> list[Row]:
    """Return the newest shrinks, newest first, with the removed replicas and the cause."""
    columns = (*REPEAT, "partition", "t_ms", "leader", "removed", "cause")
    newest = sorted(shrinks, key=lambda row: (-row["t_ms"], row["partition"]))[:count]
    return [{name: row[name] for name in columns} for row in newest]
