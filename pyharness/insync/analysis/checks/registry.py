"""Lists the anomalies, finds all of them in a history, and counts them by metric.

The registry imports every module of this package and of the packages in it, and collects its
`ANOMALIES`. A new anomaly is one more module. `python -m` this module prints the table of
docs/understand/checker.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce
from importlib import import_module
from operator import or_
from pkgutil import walk_packages
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis import checks
from insync.analysis.checks.base import Anomaly, Check, OfRecord, found_rows
from insync.analysis.checks.history import PARTITION, REPEAT


def _discover() -> Iterator[Anomaly]:
    for module in walk_packages(checks.__path__, f"{checks.__name__}."):
        if not module.name.endswith(".registry"):
            yield from getattr(import_module(module.name), "ANOMALIES", ())


ANOMALIES: tuple[Anomaly, ...] = tuple(_discover())
"""All anomalies, in the order of their modules' names."""

MOST_SHOWN = 100
"""How many anomalies of a kind in a repeat a report shows."""

_BY_KIND = {each.name: each for each in ANOMALIES}
_ALONE = tuple(dict.fromkeys(a.by for a in ANOMALIES if not isinstance(a.by, Check)))


def find_in_records(fates: DataFrame, anomalies: tuple[OfRecord, ...] = _ALONE) -> DataFrame:
    """Return the anomalies that single records show, in one pass over all records."""
    cases = [anomaly() for anomaly in anomalies]
    odd = fates.where(reduce(or_, (fn.coalesce(of.fits, fn.lit(False)) for of in cases)))
    return found_rows(odd, cases)


CHECKS: tuple[Check, ...] = (
    Check(find_in_records, ("fates",)),
    *dict.fromkeys(a.by for a in ANOMALIES if isinstance(a.by, Check)),
)
"""The passes over a history that find all anomalies; history.anomaly_rows defines the columns."""


def first_of_each(anomalies: DataFrame) -> DataFrame:
    """Return the first MOST_SHOWN anomalies of each kind in a repeat, for a report."""
    in_order = Window.partitionBy(*REPEAT, "kind").orderBy("partition", "offset", "last_offset")
    numbered = anomalies.withColumn("nth", fn.row_number().over(in_order))
    return numbered.where(fn.col("nth") <= MOST_SHOWN).drop("nth")


def metrics_checked() -> Mapping[str, tuple[Anomaly, ...]]:
    """Return the metrics that the table `checked` holds, with the anomalies that each counts."""
    counted: dict[str, tuple[Anomaly, ...]] = {}
    for each in ANOMALIES:
        if each.metric and each.metric_table == "checked":
            counted[each.metric] = (*counted.get(each.metric, ()), each)
    return counted


def known_by() -> Mapping[str, Check | None]:
    """Return what gives the partitions where the number of each metric is known; None: all."""
    return {metric: counted[0].known for metric, counted in metrics_checked().items()}


def count_anomalies(
    partitions: DataFrame, anomalies: DataFrame, tables: Mapping[str, DataFrame]
) -> DataFrame:
    """Count the anomalies of each metric per partition; null where the number is not known.

    `tables` are those that the checks in `known_by` need. What clients saw is known for every
    partition here: `readback` tells whether they read all.
    """
    counts = anomalies.groupBy(*PARTITION).agg(
        *(
            fn.count_if(fn.col("kind").isin(*(each.name for each in counted))).alias(metric)
            for metric, counted in metrics_checked().items()
        )
    )
    rows = partitions.select(*PARTITION).join(counts, PARTITION, "left")
    checks_of = list(dict.fromkeys(check for check in known_by().values() if check is not None))
    for number, check in enumerate(checks_of):
        known = check.find(*(tables[name] for name in (*check.needs, *check.also)))
        marked = known.select(*PARTITION, fn.lit(True).alias(f"known_{number}"))
        rows = rows.join(marked, PARTITION, "left")
    numbers = (
        _number(metric, None if check is None else f"known_{checks_of.index(check)}")
        for metric, check in known_by().items()
    )
    return rows.select(*PARTITION, *numbers)


def _number(metric: str, known: str | None) -> Column:
    number = fn.coalesce(metric, fn.lit(0))
    return (number if known is None else fn.when(fn.col(known), number)).alias(metric)


def with_label(row: Mapping[str, Any]) -> dict[str, Any]:
    """Add the label to a row of `anomalies`."""
    return {**row, "label": _BY_KIND[row["kind"]].label}


def as_markdown() -> str:
    """Return the table of anomalies for docs/understand/checker.md."""
    head = "| anomaly | metric | meaning | shown by | known if |\n"
    return f"{head}|---|---|---|---|---|\n" + "".join(
        f"| `{each.name}` | {f'`{each.metric}`' if each.metric else ''} | {each.meaning} "
        f"| {each.shown_by} | {each.known_if} |\n"
        for each in ANOMALIES
    )


if __name__ == "__main__":
    print(as_markdown(), end="")
