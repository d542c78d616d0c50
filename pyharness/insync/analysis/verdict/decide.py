"""Judges a run's facts: pass, fail or unknown, with one sentence that says why.

What is found is ranked, and the highest rank that has a finding decides:
data lost or corrupted (fail), whatever voids the run (unknown), a broken expectation of an arm
under test (fail), a comparison of one that lacks data (unknown) or does not hold (fail), a
control arm that did not behave as expected (unknown). None: pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from insync.analysis.verdict import expectations as bounds
from insync.analysis.verdict import expectations as compare
from insync.analysis.verdict.facts import RunFacts
from insync.analysis.verdict.findings import NO_PROBLEM, Finding, Outcome, findings
from insync.analysis.verdict.voids import voids
from insync.events.run_info import RunInfo


@dataclass(frozen=True)
class Verdict:
    """How a run is judged, why, the facts behind it, and all that was looked at."""

    outcome: Outcome
    reason: str
    facts: RunFacts
    findings: tuple[Finding, ...] = ()


def decide(run: RunInfo, facts: RunFacts, beside: RunFacts | None = None) -> Verdict:
    """Judge `facts` by what the scenario of `run` expects of its arms.

    `beside` are the facts of all arms that they may be compared with, if those are more.
    """
    tested = [arm for arm in run.arms if arm not in run.control_arms]
    everyone = beside or facts
    compared = [each for arm in tested for each in compare.of_arm(run, everyone, arm)]
    ranked: tuple[tuple[Outcome, list[str]], ...] = (
        ("fail", list(bounds.harm(facts.arms))),
        ("unknown", [void.words for void in voids(run, facts)]),
        ("fail", [broken for arm in tested for broken in _broken(run, facts, arm)]),
        ("unknown", [words for each in compared for words in compare.unmade(each, everyone)]),
        ("fail", [words for each in compared for words in compare.broken(each, everyone)]),
        (
            "unknown",
            [
                f"{broken}: {NO_PROBLEM}"
                for arm in run.control_arms
                for broken in _broken(run, facts, arm)
            ],
        ),
    )
    looked_at = tuple(findings(run, facts, everyone))
    for outcome, wrong in ranked:
        if wrong:
            return Verdict(outcome, _first_of(wrong), facts, looked_at)
    return Verdict("pass", _praise(run, facts, everyone), facts, looked_at)


def _broken(run: RunInfo, facts: RunFacts, arm: str) -> Iterator[str]:
    for metric, bound in run.scenario.expected_of(arm).items():
        yield from bounds.missed(arm, facts.arms[arm], metric, bound)


def _first_of(wrong: list[str]) -> str:
    rest = len(wrong) - 1
    return wrong[0] + (f" (and {rest} more)" if rest else "")


def _praise(run: RunInfo, facts: RunFacts, everyone: RunFacts) -> str:
    """Say what held, in figures."""
    parts = []
    for arm in run.arms:
        for metric, bound in run.scenario.expected_of(arm).items():
            found = bounds.values(facts.arms[arm], metric)
            parts.append(f"{arm} {metric} was {found} (expected {bound})")
        if arm not in run.control_arms:
            parts += [compare.praise(each, everyone) for each in compare.of_arm(run, everyone, arm)]
    held = "; ".join(parts) or "nothing was expected of any arm"
    return f"in each of {run.repeats} repeats: {held}; nothing was lost"
