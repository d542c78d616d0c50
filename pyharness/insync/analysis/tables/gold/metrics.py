"""Computes the metrics of each repeat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync import metrics
from insync.analysis.checks.history import REPEAT

CELL = ["scenario", "kafka", "cluster", "scale", "arm"]
"""The columns that name a cell: all of its repeats ran the same arm of the same scenario."""

MADE_OF = (
    "repeats", "availability", "ack_latency", "ack_gaps", "readback", "recovery", "isr_shrinks",
    "leader_changes", "step_downs", "step_down_sources", "runs",
)  # fmt: skip
"""The tables that the metrics are computed from."""


def repeat_metrics(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return a row per repeat and metric; `value` is null if the run did not record it.

    `tables` are silver's and gold's by name.
    """
    names = metrics.of_gold()
    values = measured(tables).select(
        *REPEAT, *(fn.col(name).cast("double").alias(name) for name in names)
    )
    of_run = tables["runs"].select("run", *(name for name in CELL if name != "arm"))
    return (
        values.unpivot([*REPEAT], [*names], "metric", "value")
        .join(fn.broadcast(of_run), "run", "inner")
        .select(*CELL, "run", "repeat", "metric", "value")
    )


def measured(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return a row per repeat with a column per metric; one over faults is that of the slowest."""
    windows = tables["repeats"].select(*REPEAT)
    wide = reduce(lambda all_, part: all_.join(part, REPEAT, "left"), _parts(tables), windows)
    asked = tables["step_down_sources"].select(*REPEAT).distinct().withColumn("asked", fn.lit(True))
    seen = fn.col("min_isr_size").isNotNull()
    zeros = {
        "isr_shrinks": _zero_where(seen, "isr_shrinks"),
        "leader_changes": _zero_where(seen, "leader_changes"),
        "step_downs": _zero_where(fn.col("asked"), "step_downs"),
    }
    known = wide.join(asked, REPEAT, "left")
    return known.withColumns(zeros).drop("asked")


def _parts(tables: Mapping[str, DataFrame]) -> list[DataFrame]:
    """Return the metrics by the table that they are made of, a row per repeat that has any."""
    return [
        _topic_wide(tables["availability"], *_named("min_isr_size", *_AVAILABLE)),
        _topic_wide(tables["ack_latency"], *_named(*_LATENCY)),
        _by(tables["ack_gaps"], fn.max("gap_ms").alias("max_ack_gap_ms")),
        _by(
            tables["readback"],
            fn.sum("lost").alias("lost"),
            fn.sum("duplicated").alias("duplicated"),
        ),
        _by(
            tables["recovery"],
            fn.max("isr_whole_ms").alias("isr_whole_ms"),
            fn.max("backlog_ms").alias("backlog_ms"),
        ),
        _by(tables["isr_shrinks"], _rows().alias("isr_shrinks")),
        _by(tables["leader_changes"], fn.count_if(~fn.col("planned")).alias("leader_changes")),
        _by(tables["step_downs"], fn.count_if(fn.col("outcome") == "done").alias("step_downs")),
    ]


_AVAILABLE = ("under_min_isr_ms", "at_min_isr_ms", "offline_ms", "under_replicated_ms")
_LATENCY = ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms", "acked", "failed", "unanswered")


def _named(*names: str) -> tuple[Column, ...]:
    return tuple(fn.col(name) for name in names)


def _topic_wide(table: DataFrame, *columns: Column) -> DataFrame:
    return table.where(fn.col("partition").isNull()).select(*REPEAT, *columns)


def _by(table: DataFrame, *columns: Column) -> DataFrame:
    return table.groupBy(*REPEAT).agg(*columns)


def _rows() -> Column:
    return fn.count(fn.lit(1))


def _zero_where(known: Column, name: str) -> Column:
    return fn.when(known, fn.coalesce(name, fn.lit(0)))
