"""Computes the metrics of each repeat that compare repeats and runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT
from insync.metrics import AGENTS, CONTROLLER_LOG, METRICS, Source

CELL = ["scenario", "kafka", "cluster", "scale", "arm"]
"""The columns that name a cell: all of its repeats ran the same arm of the same scenario."""

_SOURCES = {
    name: metric.source for name, metric in METRICS.items() if metric.gold and metric.source
}
MADE_OF = (
    "repeats", *dict.fromkeys(of.table for of in _SOURCES.values()), "step_down_sources", "runs",
)  # fmt: skip
"""The tables that the metrics are computed from."""


def repeat_metrics(tables: Mapping[str, DataFrame]) -> DataFrame:
    """Return a row per repeat and metric; `value` is null if the run did not record it.

    `tables` are silver's and gold's by name.
    """
    names = [*_SOURCES]
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
    columns: dict[tuple[str, bool], list[Column]] = defaultdict(list)
    for name, of in _SOURCES.items():
        columns[of.table, of.how == "topic"].append(_aggregate(of).alias(name))
    asked = tables["step_down_sources"].select(*REPEAT).distinct().withColumn("asked", fn.lit(True))
    windows = tables["repeats"].select(*REPEAT).join(asked, REPEAT, "left")
    for (table, whole_topic), of_table in columns.items():
        rows = tables[table].where("partition IS NULL") if whole_topic else tables[table]
        windows = windows.join(rows.groupBy(*REPEAT).agg(*of_table), REPEAT, "left")
    known = {CONTROLLER_LOG: fn.col("min_isr_size").isNotNull(), AGENTS: fn.col("asked")}
    counts = {
        name: fn.when(known[METRICS[name].events], fn.coalesce(name, fn.lit(0)))
        for name, of in _SOURCES.items()
        if of.how == "count"
    }
    return windows.withColumns(counts).drop("asked")


def _aggregate(of: Source) -> Column:
    if of.how == "count":
        counted = fn.col(of.column).cast("string") == of.value if of.value else fn.lit(True)
        return fn.count_if(counted)
    return fn.sum(of.column) if of.how == "found" else fn.max(of.column)
