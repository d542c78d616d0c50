"""Computes the curves of a matrix: metrics against the key in which its scenarios differ.

A picture per metric, a line per arm, a point per scenario: the median over the repeats, on a
logarithmic axis. The page's template draws them as SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from statistics import median

from insync.events.matrix_info import MatrixRow
from insync.report.matrix.cells import Grid, full, known_values
from insync.report.statistics import label
from insync.report.timeline.timelines import Row
from insync.report.words import number

WIDTH = 340.0
HEIGHT = 170.0
LEFT, RIGHT, TOP, BOTTOM = 30.0, 14.0, 22.0, 20.0
"""The margins of a picture: for the highest value above, and the values of the key below."""

LEAST_POINTS = 2
"""Scenarios of which a curve is made."""

Values = Mapping[tuple[str, str], float]
"""A metric's value by scenario and arm."""


@dataclass(frozen=True)
class Dot:
    """A point of a curve, with what it says when pointed at."""

    x: float
    y: float
    title: str


@dataclass(frozen=True)
class Curve:
    """The curve of an arm; `place` is the arm's among those of the picture, from 0."""

    arm: str
    place: int
    dots: tuple[Dot, ...]


@dataclass(frozen=True)
class Picture:
    """The curves of one metric; `highest` is the value at the top of the picture."""

    title: str
    highest: str
    ticks: tuple[tuple[float, str], ...]
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Curves:
    """The pictures of a table, and the arms in the order of their colours."""

    key: str
    arms: tuple[str, ...]
    pictures: tuple[Picture, ...]


def curves_of(grid: Grid, rows: Sequence[MatrixRow], medians: Sequence[Row]) -> Curves | None:
    """Return the curves of a table; None if its scenarios differ in no key of their fault."""
    along = {
        row.scenario: row.along
        for row in rows
        if row.along is not None and row.kafka == grid.kafka and row.scenario in grid.rows
    }
    if len(along) < LEAST_POINTS:
        return None
    first = next(iter(along.values()))
    at = {scenario: each.value for scenario, each in along.items()}
    found = {name: _values(name, grid, at, medians) for name in first.metrics}
    pictures = [_picture(name, grid.arms, at, values) for name, values in found.items() if values]
    return Curves(first.key, tuple(grid.arms), tuple(pictures))


def _values(metric: str, grid: Grid, at: Mapping[str, float], medians: Sequence[Row]) -> Values:
    """Return the medians of a metric: from the tables, or those of the cells."""
    found = {
        (row["scenario"], row["arm"]): row["median"]
        for row in medians
        if (row["metric"], row["kafka"]) == (metric, grid.kafka) and row["scenario"] in at
    }
    for scenario in at:
        for arm, cell in grid.rows[scenario].items():
            if values := known_values(cell, metric):
                found.setdefault((scenario, arm), median(values))
    return found


def _picture(metric: str, arms: Sequence[str], at: Mapping[str, float], values: Values) -> Picture:
    highest = max(values.values()) or 1.0
    x = _axis(list(at.values()))
    curves = []
    for place, arm in enumerate(arms):
        own = sorted(
            (at[scenario], value) for (scenario, of_arm), value in values.items() if of_arm == arm
        )
        dots = tuple(
            Dot(
                x[key],
                TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / highest),
                f"{arm}, {number(key)}: {full(metric, value)}",
            )
            for key, value in own
        )
        if dots:
            curves.append(Curve(arm, place, dots))
    ticks = tuple((x[key], number(key)) for key in sorted(set(at.values())))
    return Picture(label(metric), full(metric, highest), ticks, tuple(curves))


def _axis(keys: Sequence[float]) -> dict[float, float]:
    """Return where each value of the key is, on a logarithmic axis."""
    low, high = log10(min(keys)), log10(max(keys))
    inner = WIDTH - LEFT - RIGHT
    return {key: LEFT + inner * (log10(key) - low) / ((high - low) or 1.0) for key in keys}
