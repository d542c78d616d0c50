"""Checks the facts against the scenario: bounds on metrics, comparisons of arms, integrity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from insync import metrics
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.invalid_reasons import Reasons
from insync.events.run_info import Bound, Comparison, RunInfo
from insync.nodes import repeat_words

NO_VALUE = "none"
"""How a missing value is written; only an optional metric may lack one in a judged repeat."""


def comparisons_of(run: RunInfo, facts: RunFacts, arm: str) -> list[Comparison]:
    """Return the comparisons of an arm with another arm of the same run."""
    return [each for each in run.compares(arm, facts.arms) if each.against in facts.arms]


def dropped_comparisons(run: RunInfo, facts: RunFacts, arm: str) -> list[Comparison]:
    """Return the comparisons of an arm with another arm that was not run."""
    return [each for each in run.compares(arm, facts.arms) if each.against not in facts.arms]


def is_observed(run: RunInfo, facts: RunFacts, arm: str) -> bool:
    """Whether nothing is expected of an arm: no bound, and no comparison that can be made.

    Comparisons bind arms under test only.
    """
    if run.scenario.expected_of(arm):
        return False
    return arm in run.control_arms or not comparisons_of(run, facts, arm)


def broken(each: Comparison, facts: RunFacts) -> Iterator[str]:
    """Say that a comparison does not hold; `missing_data` reports one that lacks data."""
    own, other = _medians(each, facts)
    if own is not None and other is not None and not each.holds(own, other):
        yield f"{each.arm}: {each.metric} was {own:g}, expected {each}, which was {other:g}"


def missing_data(each: Comparison, facts: RunFacts, invalid: Reasons) -> Iterator[str]:
    """Say which arms lack the data for a comparison, or have repeats that prove nothing."""
    own, other = _medians(each, facts)
    without = [each.arm] * (own is None) + [each.against] * (other is None)
    if without:
        yield f"{each.arm}: no data for {each.metric} of {', '.join(without)} to compare"
    for words in invalid.get(each.against, ()):
        yield f"{each.arm}: {each.metric} cannot be compared with that of {words}"


def figures(each: Comparison, facts: RunFacts) -> str:
    """Write the two medians of a comparison that has its data."""
    own, other = _medians(each, facts)
    return f"{own:g}; {each.against}: {other:g}"


def _medians(each: Comparison, facts: RunFacts) -> tuple[float | None, float | None]:
    return _median(each, facts, each.arm), _median(each, facts, each.against)


def _median(each: Comparison, facts: RunFacts, arm: str) -> float | None:
    """Return the median over an arm's repeats; None if any repeat lacks the metric."""
    values = [repeat.metrics[each.metric] for repeat in facts.arms[arm]]
    known = [value for value in values if value is not None]
    return median(known) if known and len(known) == len(values) else None


def integrity_violations(
    arms: Mapping[str, Sequence[RepeatFacts]], acks: str = "all"
) -> Iterator[str]:
    """Say which records, logs or epochs were lost or corrupted, in the order of the registry.

    `acks` is what the producers waited for.
    """
    for metric in metrics.integrity(acks):
        for arm, repeats in arms.items():
            for number, repeat in enumerate(repeats):
                value = repeat.metrics[metric]
                if value:
                    yield f"{arm}, {repeat_words(number)}: {metric} was {value:g}, expected 0"


def out_of_bounds(
    arm: str, repeats: Sequence[RepeatFacts], metric: str, bound: Bound
) -> Iterator[str]:
    """Say which repeats of an arm are out of a bound."""
    for number, repeat in enumerate(repeats):
        value = repeat.metrics[metric]
        if _is_out(metric, value, bound):
            yield f"{arm}, {repeat_words(number)}: {metric} was {_written(value)}, expected {bound}"


def values(repeats: Sequence[RepeatFacts], metric: str) -> str:
    """Write a metric of every repeat: "0, 2, none"."""
    return ", ".join(_written(repeat.metrics[metric]) for repeat in repeats)


def _written(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:g}"


def _is_out(metric: str, value: float | None, bound: Bound) -> bool:
    """Whether a metric is out of a bound.

    An optional metric without a value is: a bound on the time of the first shrink asks for a
    shrink. Any other missing value makes the run unknown (`invalid_reasons`).
    """
    if value is None:
        return bool(metrics.METRICS[metric].optional)
    low = bound.min is None or value >= bound.min
    high = bound.max is None or value <= bound.max
    return not (low and high)
