"""Computes what repeats show together: medians of each arm, and differences from control arms.

There is one value per repeat, so the driver does this, with `insync.statistics`. No function but
`over_repeats` needs Spark.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from pyspark.sql import DataFrame

from insync.analysis.tables.gold.metrics import CELL
from insync.analysis.tables.spark.inline_table import inline_table
from insync.statistics import holm, median_interval, pairs_needed, sign_flip_p

Row = dict[str, Any]
Values = Mapping[tuple[str, int], float]
"""One metric of an arm: its value by run and repeat."""

_OF_CELL = "scenario string, kafka string, cluster string, scale double, arm string"
MEDIANS = (
    f"{_OF_CELL}, metric string, repeats bigint, runs bigint, median double, least double,"
    " most double, low double, high double"
)
DIFFERENCES = (
    f"{_OF_CELL}, control string, metric string, pairs int, median_difference double, low double,"
    " high double, p_value double, p_holm double, comparisons int, pairs_needed int"
)


def over_repeats(metrics: DataFrame, runs: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Return the tables `medians` and `differences`; their contracts say what a row is."""
    rows = [row.asDict() for row in metrics.where("value is not null").collect()]
    controls = {row["run"]: row["control_arms"] for row in runs.collect()}
    found = ((medians(rows), MEDIANS), (differences(rows, controls), DIFFERENCES))
    first, second = (inline_table(metrics.sparkSession, _tuples(*each), each[1]) for each in found)
    return first, second


def medians(rows: Iterable[Row]) -> list[Row]:
    """Return a row per cell and metric: how many repeats, their median, its interval, the range."""
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
        for key, values in sorted(_values(rows).items())
    ]


def differences(rows: Iterable[Row], controls: Mapping[str, Sequence[str]]) -> list[Row]:
    """Return a row per cell, control arm and metric: the arm compared with the control arm.

    `controls` are the control arms by run. A pair is one repeat of both arms in one run. The
    p-values are adjusted over all comparisons of a scenario, version, cluster and scale.
    """
    families: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in _compared(rows, controls):
        families[tuple(row[name] for name in CELL if name != "arm")].append(row)
    for family in families.values():
        _adjust(family)
    return [row for family in families.values() for row in family]


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
    return {
        "pairs": len(gained),
        "median_difference": median(gained) if gained else None,
        **_ends(gained),
        "p_value": sign_flip_p(gained),
        "comparisons": int(any(gained)),
    }


def _adjust(family: Sequence[Row]) -> None:
    """Add the adjusted p-values, and what the whole family needs.

    Comparisons in which no pair differs, or too few do, can never be significant, whatever the
    signs of the differences are. Holm's method need not count them (Tarone, 1990).
    """
    tested = [row for row in family if row["p_value"] is not None]
    adjusted = holm([row["p_value"] for row in tested])
    differing = sum(row["comparisons"] for row in family)
    for row in family:
        row.update(p_holm=None, comparisons=differing, pairs_needed=pairs_needed(differing or 1))
    for row, p_holm in zip(tested, adjusted, strict=True):
        row["p_holm"] = p_holm


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


def _tuples(rows: Iterable[Row], schema: str) -> list[tuple[Any, ...]]:
    names = [column.split()[0] for column in schema.split(", ")]
    return [tuple(row[name] for name in names) for row in rows]
