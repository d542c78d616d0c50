"""What a scenario expects: bounds on each repeat's metrics, and comparisons between arms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from insync.analysis.verdict.facts import HARM, OPTIONAL_METRICS, RepeatFacts, RunFacts
from insync.events.run_info import Bound, Comparison, RunInfo


def of_arm(run: RunInfo, facts: RunFacts, arm: str) -> list[Comparison]:
    """Return the comparisons of an arm that can be made: both arms were to be run."""
    return [each for each in run.scenario.compare if each.arm == arm and each.against in facts.arms]


def broken(each: Comparison, facts: RunFacts) -> Iterator[str]:
    """Say that a comparison does not hold, if so; one without data is for `unmade`."""
    own, other = _medians(each, facts)
    if own is not None and other is not None and not _holds(each, own, other):
        yield f"{each.arm}: {each.metric} was {own:g}, expected {each}, which was {other:g}"


def unmade(each: Comparison, facts: RunFacts) -> Iterator[str]:
    """Say that a comparison lacks data, if so."""
    own, other = _medians(each, facts)
    without = [each.arm] * (own is None) + [each.against] * (other is None)
    if without:
        yield f"{each.arm}: no data for {each.metric} of {', '.join(without)} to compare"


def praise(each: Comparison, facts: RunFacts) -> str:
    """Say in figures what held."""
    own, other = _medians(each, facts)
    return f"{each.arm} {each.metric} was {own:g} (expected {each}: {other:g})"


def figures(each: Comparison, facts: RunFacts) -> str:
    """Write the two medians; only of a comparison that lacks no data."""
    own, other = _medians(each, facts)
    return f"{own:g}; {each.against}: {other:g}"


def _medians(each: Comparison, facts: RunFacts) -> tuple[float | None, float | None]:
    return _median(each, facts, each.arm), _median(each, facts, each.against)


def _median(each: Comparison, facts: RunFacts, arm: str) -> float | None:
    """None if any repeat lacks the metric."""
    values = [repeat.metrics[each.metric] for repeat in facts.arms[arm]]
    known = [value for value in values if value is not None]
    return median(known) if known and len(known) == len(values) else None


def _holds(each: Comparison, own: float, other: float) -> bool:
    if each.at_most is not None:
        return own <= each.at_most * other
    if each.at_least is not None:
        return own >= each.at_least * other
    return each.below is None or own < each.below * other


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
