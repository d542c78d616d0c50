"""Lists every expectation that a verdict rests on, each with its outcome.

The verdict is the gravest of them; reports and test results show all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from insync.analysis.verdict import expectations
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.invalid_reasons import Reasons
from insync.analysis.verdict.liveness import not_live
from insync.events.run_info import Bound, Comparison, RunInfo
from insync.metrics import METRICS, integrity
from insync.outcome import Outcome

ENDED = "came to its end"
EVIDENCE = "evidence of every fault, no internal error"
NO_VIOLATION = "nothing lost or corrupted"
LIVE = "every ISR recovered, no node ended by itself, all was read back"
NO_PROBLEM = "the control arm did not show the problem"
NOTHING = "nothing"
OBSERVED = "the scenario expects nothing of this arm: it was only observed"
PROVABLE = "every control arm was run, and an arm of which something is expected"


@dataclass(frozen=True)
class Finding:
    """One expectation of an arm (None: of the run); `found` holds figures or what is wrong."""

    arm: str | None
    expected: str
    outcome: Outcome
    found: str


def findings(
    run: RunInfo,
    facts: RunFacts,
    everyone: RunFacts,
    unproved: Sequence[str] | None,
    reasons: Reasons,
    others: Reasons,
) -> Iterator[Finding]:
    """Yield the findings of the run, then of each arm; a skipped run has only the first.

    `everyone` are the facts of all arms that those of `facts` may be compared with. `unproved` says
    why a whole run proves nothing; None: the facts are those of a part of one. `reasons` and
    `others` are why `facts` and `everyone` are invalid.
    """
    yield _finding(None, ENDED, unknown=reasons.get(None, ()))
    if run.skipped is not None:
        return
    if unproved is not None:
        yield _finding(None, PROVABLE, unknown=unproved)
    problems = list(not_live(run, facts, everyone))
    for arm in run.arms:
        own = reasons.get(arm, ())
        yield from _of_arm(run, facts.arms[arm], arm, own)
        stuck = [each for each in problems if each.arm == arm]
        yield _finding(
            arm,
            LIVE,
            fail=[each.words for each in stuck if each.fails],
            unknown=[*(each.words for each in stuck), *own],
            found="whether a node ended is not known" if run.clients_only else "",
        )
        yield from _of_bounds(run, facts.arms[arm], arm, own)
        if arm not in run.control_arms:
            for each in expectations.comparisons_of(run, everyone, arm):
                yield _of_comparison(each, everyone, own, others)
        if expectations.is_observed(run, everyone, arm):
            yield Finding(arm, NOTHING, Outcome.OBSERVED, OBSERVED)


def _of_arm(
    run: RunInfo, repeats: Sequence[RepeatFacts], arm: str, own: Sequence[str]
) -> Iterator[Finding]:
    yield _finding(arm, EVIDENCE, unknown=own)
    yield _finding(
        arm,
        NO_VIOLATION,
        fail=list(expectations.integrity_violations({arm: repeats}, run.scenario.workload.acks)),
        unknown=own,
        found=unseen(run),
    )


def unseen(run: RunInfo) -> str:
    """Say which violations could not be looked for; nothing if insync started the brokers."""
    if not run.clients_only:
        return ""
    names = [name for name in integrity(run.scenario.workload.acks) if METRICS[name].of_nodes]
    return f"not known, without the nodes' files: {', '.join(names)}"


def _of_bounds(
    run: RunInfo, repeats: Sequence[RepeatFacts], arm: str, own: Sequence[str]
) -> Iterator[Finding]:
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
    broken = list(expectations.out_of_bounds(arm, repeats, metric, bound))
    without_problem = [f"{each}: {NO_PROBLEM}" for each in broken]
    is_control = arm in run.control_arms
    return _finding(
        arm,
        f"{metric} {bound}",
        unknown=[*own, *(without_problem if is_control else ())],
        fail=[] if is_control or own else broken,
        found=expectations.values(repeats, metric),
    )


def _of_comparison(
    each: Comparison, facts: RunFacts, own: Sequence[str], others: Reasons
) -> Finding:
    without = [*own, *expectations.missing_data(each, facts, others)]
    return _finding(
        each.arm,
        f"{each.metric} {each}",
        unknown=without,
        fail=[] if without else list(expectations.broken(each, facts)),
        found="" if without else expectations.figures(each, facts),
    )


def _finding(
    arm: str | None,
    expected: str,
    *,
    fail: Sequence[str] = (),
    unknown: Sequence[str] = (),
    found: str = "",
) -> Finding:
    """Return a finding; a failure outranks what is not known."""
    if fail:
        return Finding(arm, expected, Outcome.FAIL, "; ".join(fail))
    if unknown:
        return Finding(arm, expected, Outcome.UNKNOWN, "; ".join(unknown))
    return Finding(arm, expected, Outcome.PASS, found)
