"""Puts labels that would overlap on different levels."""

from __future__ import annotations

from collections.abc import Sequence


def centred(start: float, end: float, text: str, per_letter: float) -> tuple[float, float]:
    """Return where a label begins and ends that is centred between two positions."""
    middle, half = (start + end) / 2, len(text) * per_letter / 2
    return middle - half, middle + half


def levels(extents: Sequence[tuple[float, float]]) -> list[int]:
    """Return a level for each label, from 0; no two that overlap are on the same."""
    taken: list[list[tuple[float, float]]] = []
    found = []
    for begin, end in extents:
        free = (
            level
            for level, others in enumerate(taken)
            if all(end <= other[0] or other[1] <= begin for other in others)
        )
        level = next(free, len(taken))
        if level == len(taken):
            taken.append([])
        taken[level].append((begin, end))
        found.append(level)
    return found
