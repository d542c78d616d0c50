"""Arms beside each other: what a scenario expects of one by what another one did in the same run.

The medians of their repeats are compared: single repeats of two arms have nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from insync.analysis.verdict.facts import RunFacts
from insync.events.run_info import Comparison, RunInfo


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
