"""Everything that a run's verdict rests on, one by one: what was expected, and how it came out.

The verdict is the gravest of them; a reader of a report or of a test's results wants all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from insync.analysis.verdict import expectations as bounds
from insync.analysis.verdict import expectations as compare
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.voids import voids
from insync.events.run_info import Bound, Comparison, RunInfo

Outcome = Literal["pass", "unknown", "fail"]

ENDED = "came to its end"
EVIDENCE = "evidence of every fault, no error of ours"
UNHARMED = "nothing lost or corrupted"
NO_PROBLEM = "the control arm did not show the problem"


@dataclass(frozen=True)
class Finding:
    """One expectation of an arm, or (None) of the run; `found` are figures or what is wrong."""

    arm: str | None
    expected: str
    outcome: Outcome
    found: str


def findings(run: RunInfo, facts: RunFacts, everyone: RunFacts) -> Iterator[Finding]:
    """Yield what was looked at, arm by arm; of a run that was skipped only that it was.

    `everyone` are the facts of all arms that those of `facts` may be compared with.
    """
    against = list(voids(run, facts))
    yield _finding(None, ENDED, unknown=[void.words for void in against if void.arm is None])
    if run.skipped is not None:
        return
    for arm in run.arms:
        own = [void.words for void in against if void.arm == arm]
        yield from _of_arm(run, facts.arms[arm], arm, own)
        if arm not in run.control_arms:
            for each in compare.of_arm(run, everyone, arm):
                yield _of_comparison(each, everyone, own)


def _of_arm(
    run: RunInfo, repeats: Sequence[RepeatFacts], arm: str, own: Sequence[str]
) -> Iterator[Finding]:
    yield _finding(arm, EVIDENCE, unknown=own)
    yield _finding(arm, UNHARMED, fail=list(bounds.harm({arm: repeats})), unknown=own)
    for metric, bound in run.scenario.expected_of(arm).items():
        yield _of_bound(run, repeats, arm, metric, bound, own)


def _of_bound(
    run: RunInfo,
    repeats: Sequence[RepeatFacts],
    arm: str,
    metric: str,
    bound: Bound,
    own: Sequence[str],
) -> Finding:
    broken = list(bounds.missed(arm, repeats, metric, bound))
    without_problem = [f"{each}: {NO_PROBLEM}" for each in broken]
    is_control = arm in run.control_arms
    return _finding(
        arm,
        f"{metric} {bound}",
        unknown=[*own, *(without_problem if is_control else ())],
        fail=[] if is_control or own else broken,
        found=bounds.values(repeats, metric),
    )


def _of_comparison(each: Comparison, facts: RunFacts, own: Sequence[str]) -> Finding:
    without = [*own, *compare.unmade(each, facts)]
    return _finding(
        each.arm,
        f"{each.metric} {each}",
        unknown=without,
        fail=[] if without else list(compare.broken(each, facts)),
        found="" if without else compare.figures(each, facts),
    )


def _finding(
    arm: str | None,
    expected: str,
    *,
    fail: Sequence[str] = (),
    unknown: Sequence[str] = (),
    found: str = "",
) -> Finding:
    """Return a finding; what broke weighs more than what is not known."""
    if fail:
        return Finding(arm, expected, "fail", "; ".join(fail))
    if unknown:
        return Finding(arm, expected, "unknown", "; ".join(unknown))
    return Finding(arm, expected, "pass", found)
