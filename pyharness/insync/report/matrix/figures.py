"""Writes the metrics of a matrix's cells: their names, and values with and without their unit."""

from __future__ import annotations

from collections.abc import Sequence

from insync.metrics import METRICS
from insync.report.words import span


def legend(metrics: Sequence[str]) -> str:
    """Name the figures of a cell, in their order."""
    known = (METRICS[metric] for metric in metrics)
    return " / ".join(f"{each.label} in seconds" if each.is_time else each.label for each in known)


def brief(metric: str, value: float) -> str:
    """Write a value where the legend names the unit: times in seconds."""
    return f"{value / 1e3:.1f}" if METRICS[metric].is_time else f"{value:g}"


def full(metric: str, value: float) -> str:
    """Write a value with its unit."""
    return span(value) if METRICS[metric].is_time else f"{value:g}"
