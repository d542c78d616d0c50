"""Judges a run's facts: pass, fail or unknown, with one sentence that says why.

What is found is ranked, and the highest rank that has a finding decides:
data lost or corrupted (fail), whatever voids the run (unknown), a broken expectation of an arm
under test (fail), a comparison of one that lacks data (unknown) or does not hold (fail), a
control arm that did not behave as expected (unknown). None: pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from insync.events.run_info import Bound, RunInfo
from insync.verdict import compare
from insync.verdict.facts import HARM, OPTIONAL_METRICS, RunFacts
from insync.verdict.voids import voids

Outcome = Literal["pass", "unknown", "fail"]

NO_SHRINK = "none"
"""How the time of what did not come is written; no other metric may be missing where it is."""


@dataclass(frozen=True)
class Verdict:
    """How a run is judged, why, and the facts behind it."""

    outcome: Outcome
    reason: str
    facts: RunFacts


def decide(run: RunInfo, facts: RunFacts, beside: RunFacts | None = None) -> Verdict:
    """Judge `facts` by what the scenario of `run` expects of its arms.

    `beside` are the facts of all arms that they may be compared with, if those are more.
    """
    tested = [arm for arm in run.arms if arm not in run.control_arms]
    everyone = beside or facts
    unmade = [missing for arm in tested for missing in compare.unmade(run, everyone, arm)]
    ranked: tuple[tuple[Outcome, list[str]], ...] = (
        ("fail", list(_harm(facts))),
        ("unknown", list(voids(run, facts))),
        ("fail", [broken for arm in tested for broken in _broken(run, facts, arm)]),
        ("unknown", unmade),
        ("fail", [broken for arm in tested for broken in compare.broken(run, everyone, arm)]),
        (
            "unknown",
            [
                f"{broken}: the control arm did not show the problem"
                for arm in run.control_arms
                for broken in _broken(run, facts, arm)
            ],
        ),
    )
    for outcome, findings in ranked:
        if findings:
            return Verdict(outcome, _first_of(findings), facts)
    return Verdict("pass", _praise(run, facts, everyone), facts)


def _harm(facts: RunFacts) -> Iterator[str]:
    for metric in HARM:
        for arm, repeats in facts.arms.items():
            for number, repeat in enumerate(repeats):
                value = repeat.metrics[metric]
                if value:
                    yield f"{arm}, repeat {number}: {metric} was {value:g}, expected 0"


def _broken(run: RunInfo, facts: RunFacts, arm: str) -> Iterator[str]:
    for metric, bound in run.scenario.expected_of(arm).items():
        for number, repeat in enumerate(facts.arms[arm]):
            value = repeat.metrics[metric]
            if _misses(metric, value, bound):
                figure = NO_SHRINK if value is None else f"{value:g}"
                yield f"{arm}, repeat {number}: {metric} was {figure}, expected {bound}"


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


def _first_of(findings: list[str]) -> str:
    rest = len(findings) - 1
    return findings[0] + (f" (and {rest} more)" if rest else "")


def _praise(run: RunInfo, facts: RunFacts, everyone: RunFacts) -> str:
    """Say what held, in figures."""
    parts = []
    for arm in run.arms:
        for metric, bound in run.scenario.expected_of(arm).items():
            values = [repeat.metrics[metric] for repeat in facts.arms[arm]]
            figures = ", ".join(NO_SHRINK if value is None else f"{value:g}" for value in values)
            parts.append(f"{arm} {metric} was {figures} (expected {bound})")
        if arm not in run.control_arms:
            parts += compare.praise(run, everyone, arm)
    held = "; ".join(parts) or "nothing was expected of any arm"
    return f"in each of {run.repeats} repeats: {held}; nothing was lost"
