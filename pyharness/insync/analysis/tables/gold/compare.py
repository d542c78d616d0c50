"""Compares arms with the control arm over repeats: paired differences and a rank test.

There is one value per repeat, so SciPy does this on the driver. The bootstrap is seeded: the
same repeats give the same intervals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any
from zlib import crc32

import numpy as np
from pyspark.sql import DataFrame
from scipy import stats

from insync.analysis.tables.gold.metrics import CELL
from insync.analysis.tables.spark.inline_table import inline_table

RESAMPLES = 2_000
CONFIDENCE = 0.95
LEAST = 3
"""With fewer pairs than this there is no interval and no test."""

DIFFERENCES = (
    "scenario string, kafka string, cluster string, scale double, arm string, control string,"
    " metric string, pairs int, median_difference double, low double, high double,"
    " p_value double"
)


@dataclass(frozen=True)
class Comparison:
    """The metric of an arm compared with that of the control arm; see `differences`."""

    pairs: int
    median_difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def differences(metrics: DataFrame, runs: DataFrame) -> DataFrame:
    """Return a row per cell, control arm and metric: the arm compared with the control arm.

    A pair is one repeat of both arms in one run. `median_difference` is arm minus control,
    `low` to `high` its bootstrap interval (95 %, percentiles); `p_value` is Mann-Whitney's,
    two-sided, null if all values are the same. Below 3 pairs the interval and `p_value` are
    null; without a pair the difference is null too.
    """
    controls = {row["run"]: row["control_arms"] for row in runs.collect()}
    rows = [row.asDict() for row in metrics.where("value is not null").collect()]
    return inline_table(metrics.sparkSession, list(_compared(rows, controls)), DIFFERENCES)


def _compared(
    rows: Iterable[dict[str, Any]], controls: dict[str, Sequence[str]]
) -> Iterator[tuple[object, ...]]:
    values: dict[tuple[Any, ...], dict[tuple[str, int], float]] = defaultdict(dict)
    for row in rows:
        key = (*(row[name] for name in CELL), row["metric"])
        values[key][row["run"], row["repeat"]] = row["value"]
    for key, of_arm in sorted(values.items()):
        cell, (arm, metric) = key[:-2], key[-2:]
        for control in sorted({name for run, _ in of_arm for name in controls.get(run, ())}):
            of_control = values.get((*cell, control, metric))
            if control != arm and of_control:
                found = compare(of_arm, of_control, f"{cell} {arm} {control} {metric}")
                yield (*cell, arm, control, metric, *astuple(found))


def compare(
    arm: dict[tuple[str, int], float], control: dict[tuple[str, int], float], name: str
) -> Comparison:
    """Compare values by run and repeat; `name` seeds the bootstrap."""
    both = sorted(arm.keys() & control.keys())
    if not both:
        return Comparison(0, None, None, None, None)
    gained = np.array([arm[key] - control[key] for key in both])
    middle = float(np.median(gained))
    if len(both) < LEAST:
        return Comparison(len(both), middle, None, None, None)
    low, high = _interval(gained, name)
    rank = _p_value([arm[key] for key in both], [control[key] for key in both])
    return Comparison(len(both), middle, low, high, rank)


def _interval(gained: np.ndarray[Any, Any], name: str) -> tuple[float, float]:
    if np.ptp(gained) == 0:
        return float(gained[0]), float(gained[0])
    found = stats.bootstrap(
        (gained,),
        np.median,
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE,
        method="percentile",
        rng=np.random.default_rng(crc32(name.encode())),
    ).confidence_interval
    return float(found.low), float(found.high)


def _p_value(arm: Sequence[float], control: Sequence[float]) -> float | None:
    if len({*arm, *control}) == 1:
        return None
    return float(stats.mannwhitneyu(arm, control).pvalue)
