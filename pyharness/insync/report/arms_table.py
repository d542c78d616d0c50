"""The arms side by side: a column per arm, a row per metric, all repeats in one cell."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from insync.report.judgement import Judgement
from insync.report.metrics import METRICS, shown
from insync.report.tabular import NONE, Table, table
from insync.report.words import number


def arms_side_by_side(verdict: Judgement) -> Table:
    """Return the metrics that some arm has; of several repeats the median and the range."""
    arms = list(verdict.arms)
    rows = [
        [METRICS[metric], *(_over_repeats(verdict.arms[arm][metric]) for arm in arms)]
        for metric in shown(verdict)
    ]
    several = any(found["repeats"] > 1 for found in verdict.arms.values())
    title = "Arms side by side" + (": median of the repeats (least to most)" if several else "")
    return table(title, " | ".join(["metric", *arms]), rows, NONE, {0})


def _over_repeats(values: Sequence[float | None]) -> str:
    """Write the values of all repeats; some that are not known are told of."""
    known = [value for value in values if value is not None]
    if not known:
        return number(None)
    missing = len(values) - len(known)
    least, most = min(known), max(known)
    span = "" if least == most else f" ({number(least)} to {number(most)})"
    return f"{number(median(known))}{span}" + (f", {missing} not known" if missing else "")
