"""Computes the metrics of each repeat that compare repeats and runs, and what these show together.

That are medians of each arm, and differences from control arms. There is one value per repeat and
metric, so this process does it, with `insync.statistics`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_
from statistics import median
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT
from insync.metrics import AGENTS, CONTROLLER_LOG, METRICS, MetricSource
from insync.statistics import change_of_pairs, holm, median_interval, pairs_needed

CELL = ["scenario", "kafka", "cluster", "scale", "arm"]
"""The columns that name a cell: all of its repeats ran the same arm of the same scenario."""
_FAMILY = [name for name in CELL if name != "arm"]
Row = dict[str, Any]
Values = Mapping[tuple[str, int], float]
"""One metric of an arm: its value by run and repeat."""


def medians(metrics: pa.Table) -> list[Row]:
    """Return a row per cell and metric: how many repeats, their median, its interval, the range.

    `metrics` is the table repeat_metrics.
    """
    return [
        {
            **dict(zip([*CELL, "metric"], key, strict=True)),
            "repeats": len(values),
            "runs": len({run for run, _ in values}),
            "median": median(values.values()),
            "least": min(values.values()),
            "most": max(values.values()),
            **_ends(list(values.values())),
        }
        for rows in _families(metrics)
        for key, values in sorted(_values(rows).items())
    ]


def differences(metrics: pa.Table, runs: pa.Table) -> list[Row]:
    """Return a row per cell, control arm and metric: the arm compared with the control arm.

    A pair is one repeat of both arms in one run. The p-values are adjusted over all comparisons of
    a scenario, version, cluster and scale. `runs` has the control arms.
    """
    controls = {row["run"]: row["control_arms"] for row in runs.to_pylist()}
    found = []
    for rows in _families(metrics):
        family = list(_compared(rows, controls))
        _adjust(family)
        found += family
    return found


def _families(metrics: pa.Table) -> Iterator[list[Row]]:
    """Yield the rows with a value, family by family: all at once would need much memory."""
    known = metrics.filter(pc.field("value").is_valid())
    for family in known.select(_FAMILY).group_by(_FAMILY).aggregate([]).to_pylist():
        same = (pc.field(name) == value for name, value in family.items())
        yield known.filter(reduce(and_, same)).to_pylist()


def _compared(rows: Iterable[Row], controls: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    values = _values(rows)
    for key, of_arm in sorted(values.items()):
        cell, (arm, metric) = key[:-2], key[-2:]
        for control in sorted({name for run, _ in of_arm for name in controls.get(run, ())}):
            of_control = values.get((*cell, control, metric))
            if control != arm and of_control:
                named = dict(zip(CELL, (*cell, arm), strict=True))
                yield {**named, "control": control, "metric": metric, **compare(of_arm, of_control)}


def compare(arm: Values, control: Values) -> Row:
    """Compare values by run and repeat; the p-value is not adjusted yet."""
    gained = [arm[key] - control[key] for key in sorted(arm.keys() & control.keys())]
    found = change_of_pairs(gained)
    return {
        "pairs": len(gained),
        "median_difference": found.difference,
        "low": found.low,
        "high": found.high,
        "p_value": found.p_value,
        "comparisons": int(any(gained)),
    }


def _adjust(family: Sequence[Row]) -> None:
    """Add the adjusted p-values, and what the whole family needs.

    Comparisons in which no pair differs, or too few do, can never be significant, whatever the
    signs of the differences are. Holm's method need not count them (Tarone, 1990).
    """
    adjusted = holm([row["p_value"] for row in family])
    differing = sum(row["comparisons"] for row in family)
    needed = pairs_needed(differing or 1)
    for row, p_holm in zip(family, adjusted, strict=True):
        row.update(p_holm=p_holm, comparisons=differing, pairs_needed=needed)


def _values(rows: Iterable[Row]) -> dict[tuple[Any, ...], dict[tuple[str, int], float]]:
    """Return the values by cell and metric."""
    values: dict[tuple[Any, ...], dict[tuple[str, int], float]] = defaultdict(dict)
    for row in rows:
        key = (*(row[name] for name in CELL), row["metric"])
        values[key][row["run"], row["repeat"]] = row["value"]
    return values


def _ends(values: Sequence[float]) -> Row:
    found = median_interval(values)
    return {"low": found and found.low, "high": found and found.high}


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


def _aggregate(of: MetricSource) -> Column:
    if of.how == "count":
        counted = fn.col(of.column).cast("string") == of.value if of.value else fn.lit(True)
        return fn.count_if(counted)
    return fn.sum(of.column) if of.how == "found" else fn.max(of.column)
