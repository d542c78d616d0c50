"""Writes the metrics of a matrix's cells: their names, and values with and without their unit."""

from __future__ import annotations

from collections.abc import Sequence

from insync.metrics import METRICS, InCell
from insync.report.words import span


def names_of(metric: str) -> InCell:
    """Return how cells show a metric: one without names of its own goes by its label."""
    known = METRICS[metric]
    return known.cell or InCell(legend=known.label, name=known.label)


def legend(metrics: Sequence[str]) -> str:
    """Name the figures of a cell, in their order."""
    return " / ".join(names_of(metric).legend for metric in metrics)


def brief(metric: str, value: float) -> str:
    """Write a value where the legend names the unit: times in seconds."""
    return f"{value / 1e3:.1f}" if METRICS[metric].is_time else f"{value:g}"


def full(metric: str, value: float) -> str:
    """Write a value with its unit."""
    return span(value) if METRICS[metric].is_time else f"{value:g}"
