"""Lists the anomalies, finds all of them in a history, and counts them by metric.

The registry imports every module of this package and of the packages in it, and collects its
`ANOMALIES`. A new anomaly is one more module. `python -m` this module prints the table of
docs/checker.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis import checks
from insync.analysis.checks.base import Anomaly, History, Query
from insync.analysis.checks.history import PARTITION


def _discover() -> Iterator[Anomaly]:
    for module in walk_packages(checks.__path__, f"{checks.__name__}."):
        if not module.name.endswith(".registry"):
            yield from getattr(import_module(module.name), "ANOMALIES", ())


ANOMALIES: tuple[Anomaly, ...] = tuple(_discover())
"""All anomalies, in the order of their modules' names."""

_BY_KIND = {kind: each for each in ANOMALIES for kind in (each.name, each.old_name) if kind}


def metrics_checked() -> Mapping[str, tuple[Anomaly, ...]]:
    """Return the metrics that the table `checked` holds, with the anomalies that each counts."""
    counted: dict[str, tuple[Anomaly, ...]] = {}
    for each in ANOMALIES:
        if each.metric and each.metric_table == "checked":
            counted[each.metric] = (*counted.get(each.metric, ()), each)
    return counted


def find_anomalies(history: History) -> DataFrame:
    """Return a row for every anomaly; history.anomaly_rows defines the columns.

    The result is one union, so that Spark runs all queries in one job.
    """
    queries = dict.fromkeys(each.query for each in ANOMALIES)
    return reduce(DataFrame.unionByName, (query(history) for query in queries))


def count_anomalies(history: History, anomalies: DataFrame) -> DataFrame:
    """Count the anomalies of each metric per partition; null where the number is not known.

    What clients saw is known for every partition here: `readback` tells whether they read all.
    """
    metrics = metrics_checked()
    counts = anomalies.groupBy(*PARTITION).agg(
        *(
            fn.count_if(fn.col("kind").isin(*(each.name for each in counted))).alias(metric)
            for metric, counted in metrics.items()
        )
    )
    known_by = {metric: counted[0].known for metric, counted in metrics.items()}
    rows = history.partitions.select(*PARTITION).join(counts, PARTITION, "left")
    for metric, known in known_by.items():
        if known is not None:
            partitions = known(history).select(*PARTITION, fn.lit(True).alias(f"knows_{metric}"))
            rows = rows.join(partitions, PARTITION, "left")
    return rows.select(*PARTITION, *(_number(metric, known) for metric, known in known_by.items()))


def _number(metric: str, known: Query | None) -> Column:
    number = fn.coalesce(metric, fn.lit(0))
    return (number if known is None else fn.when(fn.col(f"knows_{metric}"), number)).alias(metric)


def with_label(row: Mapping[str, Any]) -> dict[str, Any]:
    """Add the label to a row of `anomalies`, and replace a kind that an older version wrote."""
    found = _BY_KIND[row["kind"]]
    return {**row, "kind": found.name, "label": found.label}


def as_markdown() -> str:
    """Return the table of anomalies for docs/checker.md."""
    head = "| anomaly | before 0.1 | metric | meaning | shown by | known if |\n"
    return f"{head}|---|---|---|---|---|---|\n" + "".join(
        f"| `{each.name}` | {_code(each.old_name)} | {_code(each.metric)} | {each.meaning} "
        f"| {each.shown_by} | {each.known_if} |\n"
        for each in ANOMALIES
    )


def _code(name: str | None) -> str:
    return f"`{name}`" if name else ""


if __name__ == "__main__":
    print(as_markdown(), end="")
