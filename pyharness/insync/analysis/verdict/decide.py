"""Judges a run's facts: pass, fail or unknown, with one sentence that says why.

Problems are ranked, and the highest rank that has one decides: an integrity violation (fail), a
loss of liveness (fail, or unknown if stock Kafka has it as well), a reason why the run is invalid
(unknown), a broken expectation of an arm under test (fail), a comparison of such an arm that lacks
data (unknown) or does not hold (fail), a control arm that did not behave as expected (unknown), a
run that lacks a control arm, an arm of which something is expected, or the other arm of a
comparison (unknown). Without a problem the run passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from insync.analysis.verdict import expectations
from insync.analysis.verdict.facts import RunFacts
from insync.analysis.verdict.findings import NO_PROBLEM, Finding, findings, unseen
from insync.analysis.verdict.invalid_reasons import Reasons, reasons_by_arm
from insync.analysis.verdict.liveness import not_live
from insync.events.run_info import RunInfo
from insync.metrics import LOST
from insync.outcome import Outcome


@dataclass(frozen=True)
class Verdict:
    """The outcome of a run, the reason for it, the facts, and every finding."""

    outcome: Outcome
    reason: str
    facts: RunFacts
    findings: tuple[Finding, ...] = ()


def decide(run: RunInfo, facts: RunFacts, beside: RunFacts | None = None) -> Verdict:
    """Judge `facts` by what the scenario of `run` expects of its arms.

    `beside` are the facts of all arms that `facts` may be compared with, if `facts` are only a
    part of a run: then whether the run has every arm that it needs is not asked.
    """
    everyone = beside or facts
    unproved = list(_unproved(run, facts)) if beside is None else None
    own = reasons_by_arm(run, facts)
    others = own if everyone is facts else reasons_by_arm(run, everyone)
    looked_at = tuple(findings(run, facts, everyone, unproved, own, others))
    last = ["; ".join(unproved)] if unproved else []
    ranked = [*_ranked(run, facts, everyone, own, others), (Outcome.UNKNOWN, last)]
    for outcome, problems in ranked:
        if problems:
            return Verdict(outcome, _first_of(problems), facts, looked_at)
    return Verdict(Outcome.PASS, _describe_pass(run, facts, everyone), facts, looked_at)


def _unproved(run: RunInfo, facts: RunFacts) -> Iterator[str]:
    """Say why a run proves nothing although all that was run is as expected."""
    tested = run.tested_arms
    if not tested:
        yield f"no arm under test was run, only {', '.join(run.arms)}"
    elif all(expectations.is_observed(run, facts, arm) for arm in tested):
        yield f"nothing is expected of {', '.join(tested)}"
    yield from not_run(run, facts, tested)


def not_run(run: RunInfo, facts: RunFacts, arms: Sequence[str]) -> Iterator[str]:
    """Say which control arms, and which arms to compare some arms with, were not run."""
    for arm in run.left_out:
        yield f"the control arm {arm} was not run"
    for arm in arms:
        for each in expectations.dropped_comparisons(run, facts, arm):
            yield (
                f"{arm} {each.metric} was not compared with that of {each.against},"
                " which was not run"
            )


def _ranked(
    run: RunInfo, facts: RunFacts, everyone: RunFacts, own: Reasons, others: Reasons
) -> Iterator[tuple[Outcome, list[str]]]:
    """Yield the problems of each rank, the gravest rank first."""
    tested = run.tested_arms
    compared = [each for arm in tested for each in expectations.comparisons_of(run, everyone, arm)]
    yield (
        Outcome.FAIL,
        list(expectations.integrity_violations(facts.arms, run.scenario.workload.acks)),
    )
    stuck = list(not_live(run, facts, everyone))
    yield Outcome.FAIL, [each.words for each in stuck if each.fails]
    yield Outcome.UNKNOWN, [each.words for each in stuck if not each.fails]
    yield Outcome.UNKNOWN, [words for each in own.values() for words in each]
    yield Outcome.FAIL, [words for arm in tested for words in _out_of_bounds(run, facts, arm)]
    yield (
        Outcome.UNKNOWN,
        [words for each in compared for words in expectations.missing_data(each, everyone, others)],
    )
    yield (
        Outcome.FAIL,
        [words for each in compared for words in expectations.broken(each, everyone)],
    )
    yield (
        Outcome.UNKNOWN,
        [
            f"{words}: {NO_PROBLEM}"
            for arm in run.control_arms
            for words in _out_of_bounds(run, facts, arm)
        ],
    )


def _out_of_bounds(run: RunInfo, facts: RunFacts, arm: str) -> Iterator[str]:
    for metric, bound in run.scenario.expected_of(arm).items():
        yield from expectations.out_of_bounds(arm, facts.arms[arm], metric, bound)


def _first_of(problems: list[str]) -> str:
    rest = len(problems) - 1
    return problems[0] + (f" (and {rest} more)" if rest else "")


def _describe_pass(run: RunInfo, facts: RunFacts, everyone: RunFacts) -> str:
    """Write the figures of every expectation, all of which hold."""
    parts = []
    for arm in run.arms:
        for metric, bound in run.scenario.expected_of(arm).items():
            found = expectations.values(facts.arms[arm], metric)
            parts.append(f"{arm} {metric} was {found} (expected {bound})")
        if arm not in run.control_arms:
            parts += [
                expectations.describe_pass(each, everyone)
                for each in expectations.comparisons_of(run, everyone, arm)
            ]
        if arm in run.control_arms:
            parts += _seen_in(run, facts, arm)
        if expectations.is_observed(run, everyone, arm):
            parts.append(f"{arm} was only observed (nothing is expected of it)")
    held, unknown = "; ".join(parts), unseen(run)
    rest = f"; {unknown}" if unknown else ""
    return f"in each of {run.repeats} repeats: {held}; {_describe_lost(facts)}{rest}"


def _seen_in(run: RunInfo, facts: RunFacts, arm: str) -> list[str]:
    """Write what a control arm did where only arms under test are bound.

    A control arm that shows the problem in some runs only has no bound for it.
    """
    own = run.scenario.expected_of(arm)
    tested = [metric for each in run.tested_arms for metric in run.scenario.expected_of(each)]
    return [
        f"{arm} {metric} was {expectations.values(facts.arms[arm], metric)} (seen, not expected)"
        for metric in dict.fromkeys(tested)
        if metric not in own
    ]


def _describe_lost(facts: RunFacts) -> str:
    """Write that nothing was lost, or how much of what only leaders had acked (acks=1)."""
    repeats = [repeat for arm in facts.arms.values() for repeat in arm]
    lost = sum(repeat.metrics[LOST] or 0 for repeat in repeats)
    return f"{lost:g} records with acks=1 were lost" if lost else "nothing was lost"
