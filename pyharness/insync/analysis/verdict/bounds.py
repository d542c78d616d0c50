"""What a scenario allows each repeat of an arm, metric by metric, and what broke it, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from insync.analysis.verdict.facts import HARM, OPTIONAL_METRICS, RepeatFacts
from insync.events.run_info import Bound

NO_SHRINK = "none"
"""How the time of what did not come is written; no other metric may be missing where it is."""


def harm(arms: Mapping[str, Sequence[RepeatFacts]]) -> Iterator[str]:
    """Say what was lost or corrupted, the gravest first."""
    for metric in HARM:
        for arm, repeats in arms.items():
            for number, repeat in enumerate(repeats):
                value = repeat.metrics[metric]
                if value:
                    yield f"{arm}, repeat {number}: {metric} was {value:g}, expected 0"


def missed(arm: str, repeats: Sequence[RepeatFacts], metric: str, bound: Bound) -> Iterator[str]:
    """Say which repeats of an arm are out of a bound."""
    for number, repeat in enumerate(repeats):
        value = repeat.metrics[metric]
        if _misses(metric, value, bound):
            yield f"{arm}, repeat {number}: {metric} was {_written(value)}, expected {bound}"


def values(repeats: Sequence[RepeatFacts], metric: str) -> str:
    """Write a metric of every repeat: "0, 2, none"."""
    return ", ".join(_written(repeat.metrics[metric]) for repeat in repeats)


def _written(value: float | None) -> str:
    return NO_SHRINK if value is None else f"{value:g}"


def _misses(metric: str, value: float | None, bound: Bound) -> bool:
    """Whether a metric is out of bounds; one that is missing is another's to judge (`voids`).

    But for the first shrink "none" is a finding: a bound on its time asks for one.
    """
    if value is None:
        return metric in OPTIONAL_METRICS
    return not _within(value, bound)


def _within(value: float, bound: Bound) -> bool:
    low = bound.min is None or value >= bound.min
    high = bound.max is None or value <= bound.max
    return low and high
