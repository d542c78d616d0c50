"""Puts arms with the same outcome in one metric together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from insync.metrics import Metric

ALIKE = 1.25
"""Times are alike up to this factor: a stall of the same length never takes the same time twice."""

ALIKE_MS = 100.0
"""Times are alike up to this difference."""


@dataclass(frozen=True)
class Share:
    """Arms in which something happened in `hits` of `known` repeats."""

    arms: tuple[str, ...]
    hits: int
    known: int

    @property
    def share(self) -> Fraction:
        """The share of repeats in which it happened."""
        return Fraction(self.hits, self.known)


@dataclass(frozen=True)
class Level:
    """Arms whose median is alike, from `least` to `most`; both None: there was no value."""

    arms: tuple[str, ...]
    least: float | None
    most: float | None


def did(metric: Metric) -> str:
    """Return what an arm did in a repeat with a value above 0; empty if the value itself counts."""
    if metric.did or metric.measured or not metric.integrity:
        return metric.did
    return f"had {metric.headline or metric.label}"


def differ(metric: Metric, values: Mapping[str, Sequence[float | None]]) -> bool:
    """Whether the arms are in more than one group."""
    return len(shares(values) if did(metric) else levels(metric, values)) > 1


def shares(values: Mapping[str, Sequence[float | None]]) -> list[Share]:
    """Group the arms by the share of repeats with a value above 0, the largest share first."""
    found: dict[tuple[int, int], list[str]] = {}
    for arm, of_arm in values.items():
        known = [value for value in of_arm if value is not None]
        if known:
            found.setdefault((sum(map(bool, known)), len(known)), []).append(arm)
    groups = [Share(tuple(arms), *counts) for counts, arms in found.items()]
    return sorted(groups, key=lambda group: -group.share)


def levels(metric: Metric, values: Mapping[str, Sequence[float | None]]) -> list[Level]:
    """Group the arms by their medians, in the order of the first arm of each group."""
    middle = {arm: _median(of_arm) for arm, of_arm in values.items()}
    known = sorted((value, arm) for arm, value in middle.items() if value is not None)
    groups: list[list[tuple[float, str]]] = []
    for value, arm in known:
        if not groups or not _alike(metric, groups[-1][0][0], value):
            groups.append([])
        groups[-1].append((value, arm))
    order = list(values)
    found = [
        Level(tuple(sorted((arm for _, arm in group), key=order.index)), group[0][0], group[-1][0])
        for group in groups
    ]
    without = tuple(arm for arm, value in middle.items() if value is None)
    found += [Level(without, None, None)] if without else []
    return sorted(found, key=lambda level: order.index(level.arms[0]))


def _median(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _alike(metric: Metric, least: float, value: float) -> bool:
    if not metric.is_time:
        return value == least
    return value <= max(least * ALIKE, least + ALIKE_MS)
