"""Judges a run's facts: lists every expectation with its outcome; the worst is the verdict.

A failure is an integrity violation, a loss of liveness that stock Kafka has not, or a broken
expectation of an arm under test. Unknown is what lacks evidence or data, a control arm that did not
behave as expected, and a run that lacks a control arm, an arm of which something is expected, or
the other arm of a comparison. What an arm lacks makes all of its expectations unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median

from insync.analysis.verdict.facts import RepeatFacts, RunFacts, arm_figures
from insync.analysis.verdict.invalid_reasons import Reasons, invalid_reasons
from insync.analysis.verdict.liveness import NotLive, not_live
from insync.events.matrix_info import MatrixRow
from insync.events.run_info import ArmLimit, Bound, RunInfo
from insync.events.schema import REPORT
from insync.events.verdict import (
    EVIDENCE,
    LIVE,
    NO_VIOLATION,
    Cell,
    Finding,
    Verdict,
    problems_of,
)
from insync.metrics import LOST, LOST_AT_UNCLEAN, METRICS, integrity
from insync.nodes import repeat_words
from insync.outcome import Outcome, worst

ENDED = "came to its end"
NO_PROBLEM = "the control arm did not show the problem"
NOTHING = "nothing"
OBSERVED = "the scenario expects nothing of this arm: it was only observed"
PROVABLE = "every control arm was run, and an arm of which something is expected"


def decide(run: RunInfo, facts: RunFacts) -> Verdict:
    """Judge `facts` by what the scenario of `run` expects of its arms."""
    found = tuple(_findings(run, facts))
    outcome = worst(each.outcome for each in found)
    problem = outcome.is_problem
    return Verdict(
        scenario=run.scenario_name,
        kafka=run.kafka,
        client=run.scenario.workload.client,
        scale=run.scale,
        seed=run.seed,
        verdict=outcome,
        reason=problems_of(found, outcome) if problem else _describe_pass(run, found),
        findings=found,
        arms={arm: arm_figures(repeats) for arm, repeats in facts.arms.items()},
    )


def _describe_pass(run: RunInfo, found: Sequence[Finding]) -> str:
    """Write the figures of every expectation, all of which hold."""
    parts = [f"{each.arm} {each.expected} ({each.words})" for each in found if each.words]
    return f"in each of {run.repeats} repeats: {'; '.join([*parts, NO_VIOLATION])}"


def not_run(run: RunInfo, arms: Sequence[str]) -> Iterator[str]:
    """Say which control arms, and which arms to compare some arms with, were not run."""
    for arm in run.left_out:
        yield f"the control arm {arm} was not run"
    for each in (each for arm in arms for each in run.compares(arm)):
        if each.against not in run.arms:
            yield (
                f"{each.arm} {each.metric} was not compared with that of {each.against},"
                " which was not run"
            )


def _findings(run: RunInfo, facts: RunFacts) -> Iterator[Finding]:
    """Yield the findings of the run, then of each arm; a skipped run has only the first."""
    reasons = invalid_reasons(run, facts)
    yield _finding(None, ENDED, unknown=reasons.get(None, ()))
    if run.skipped is not None:
        return
    lacks = "; ".join(_lacks(run))
    yield _finding(None, PROVABLE, unknown=[lacks] if lacks else [])
    stuck = list(not_live(run, facts))
    weak = {arm: _weak(reasons.get(arm, ()), stuck, arm) for arm in run.arms}
    for arm in run.arms:
        own = reasons.get(arm, ())
        yield from _of_arm(run, facts.arms[arm], arm, own)
        yield _finding(
            arm,
            LIVE,
            fail=[each.words for each in stuck if each.arm == arm and each.fails],
            unknown=weak[arm],
            found="whether a node ended is not known" if run.clients_only else "",
        )
        for metric, bound in run.scenario.expected_of(arm).items():
            yield _of_bound(run, facts.arms[arm], arm, metric, bound, weak[arm])
        if arm not in run.control_arms:
            for each in comparisons_of(run, arm):
                yield _of_comparison(each, facts, weak[arm], reasons)
        if is_observed(run, arm):
            yield Finding(arm=arm, expected=NOTHING, outcome=Outcome.OBSERVED, found=(OBSERVED,))


def _lacks(run: RunInfo) -> list[str]:
    """Say why a run proves nothing although all that was run is as expected."""
    tested = run.tested_arms
    found = []
    if not tested:
        found = [f"no arm under test was run, only {', '.join(run.arms)}"]
    elif all(is_observed(run, arm) for arm in tested):
        found = [f"nothing is expected of {', '.join(tested)}"]
    return [*found, *not_run(run, tested)]


def _weak(own: Sequence[str], stuck: Sequence[NotLive], arm: str) -> list[str]:
    """Return why expectations of an arm are unknown: also what it did not do, as stock Kafka."""
    return [*own, *(each.words for each in stuck if each.arm == arm and not each.fails)]


def _of_arm(
    run: RunInfo, repeats: Sequence[RepeatFacts], arm: str, own: Sequence[str]
) -> Iterator[Finding]:
    acks = run.scenario.workload.acks
    unclean = LOST_AT_UNCLEAN in run.scenario.expected_of(arm)
    lost = sum(repeat.metrics[LOST] or 0 for repeat in repeats)
    how = "at unclean elections" if unclean else "with acks=1"
    said = [f"{lost:g} records {how} were lost"] if lost else []
    yield _finding(arm, EVIDENCE, unknown=own)
    yield _finding(
        arm,
        NO_VIOLATION,
        fail=list(integrity_violations(arm, repeats, acks, unclean=unclean)),
        unknown=own,
        found="; ".join([*said, *filter(None, [_unseen(run)])]),
    )


def _unseen(run: RunInfo) -> str:
    """Say which violations could not be looked for; nothing if insync started the brokers."""
    if not run.clients_only:
        return ""
    names = [name for name in integrity(run.scenario.workload.acks) if METRICS[name].of_nodes]
    return f"not known, without the nodes' files: {', '.join(names)}"


def _of_bound(
    run: RunInfo,
    repeats: Sequence[RepeatFacts],
    arm: str,
    metric: str,
    bound: Bound,
    weak: Sequence[str],
) -> Finding:
    broken = list(out_of_bounds(arm, repeats, metric, bound))
    is_control = arm in run.control_arms
    without_problem = [f"{each}: {NO_PROBLEM}" for each in broken] if is_control else []
    return _finding(
        arm,
        f"{metric} {bound}",
        unknown=[*weak, *without_problem],
        fail=[] if is_control or weak else broken,
        found=values(repeats, metric),
    )


def _of_comparison(
    each: ArmLimit, facts: RunFacts, weak: Sequence[str], reasons: Reasons
) -> Finding:
    """Compare the medians of two arms; it is unknown if one lacks data, or proves nothing."""
    own, other = (_median(each, facts, arm) for arm in (each.arm, each.against))
    about, without = f"{each.arm}: {each.metric}", list(weak)
    if lacking := [each.arm] * (own is None) + [each.against] * (other is None):
        without.append(f"{each.arm}: no data for {each.metric} of {', '.join(lacking)} to compare")
    without += [
        f"{about} cannot be compared with that of {words}"
        for words in reasons.get(each.against, ())
    ]
    expected = f"{each.metric} {each}"
    if without or own is None or other is None:
        return _finding(each.arm, expected, unknown=without)
    broken = f"{about} was {own:g}, expected {each}, which was {other:g}"
    return _finding(
        each.arm,
        expected,
        fail=[] if each.holds(own, other) else [broken],
        found=f"{own:g}; {each.against}: {other:g}",
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
    outcome = Outcome.FAIL if fail else Outcome.UNKNOWN if unknown else Outcome.PASS
    words = fail or unknown or ([found] if found else [])
    return Finding(arm=arm, expected=expected, outcome=outcome, found=tuple(words))


def without_run(row: MatrixRow) -> list[Cell]:
    """Return the cells of a row without a run: it could not run here, or was not begun."""
    return [
        Cell(
            scenario=row.scenario,
            arm=arm,
            kafka=row.kafka,
            outcome=Outcome.UNKNOWN if row.skipped is None else Outcome.SKIPPED,
            reason=row.skipped or _recorded_nothing(row, arm),
            figures=row.figures,
            report=None if row.skipped else f"{row.folder}/{REPORT}",
            **arm_figures(()),
        )
        for arm in row.arms
    ]


def _recorded_nothing(row: MatrixRow, arm: str) -> str:
    """Say that a cell has nothing to judge, and which file says why."""
    log = f"{row.kafka}/tasks/{arm}.progress.jsonl"
    return f"recorded nothing: not begun, or cut short; see {log}"


def cell_of(row: MatrixRow, run: RunInfo, facts: RunFacts, verdict: Verdict, arm: str) -> Cell:
    """Return the cell of an arm of a run that was made for `row`.

    What the row's arms lack to prove something makes no cell unknown, but the matrix: `not_run`.
    """
    tested = [arm] if arm in run.tested_arms else []
    recorded = any(
        value is not None for repeat in facts.arms[arm] for value in repeat.metrics.values()
    )
    cell = verdict.cell(
        arm,
        scenario=row.scenario,
        expected=run.scenario.expected_of(arm),
        figures=row.figures,
        not_run="; ".join(not_run(run, tested)) or None,
        report=f"{row.folder}/{REPORT}",
    )
    return cell if recorded else cell.model_copy(update={"reason": _recorded_nothing(row, arm)})


NO_VALUE = "none"
"""How a missing value is written; only an optional metric may lack one in a judged repeat."""


def comparisons_of(run: RunInfo, arm: str) -> list[ArmLimit]:
    """Return the comparisons of an arm with another arm of the same run."""
    return [each for each in run.compares(arm) if each.against in run.arms]


def is_observed(run: RunInfo, arm: str) -> bool:
    """Whether nothing is expected of an arm: no bound, and no comparison that can be made.

    Comparisons bind arms under test only.
    """
    if run.scenario.expected_of(arm):
        return False
    return arm in run.control_arms or not comparisons_of(run, arm)


def _median(each: ArmLimit, facts: RunFacts, arm: str) -> float | None:
    """Return the median over an arm's repeats; None if any repeat lacks the metric."""
    values = [repeat.metrics[each.metric] for repeat in facts.arms[arm]]
    known = [value for value in values if value is not None]
    return median(known) if known and len(known) == len(values) else None


def integrity_violations(
    arm: str, repeats: Sequence[RepeatFacts], acks: str, *, unclean: bool
) -> Iterator[str]:
    """Say which records, logs or epochs were lost or corrupted, in the order of the registry.

    `acks` is what the producers waited for. If `unclean`, what an unclean election of the scenario
    costs is allowed, and nothing else.
    """
    for metric in integrity(acks, unclean=unclean):
        for number, repeat in enumerate(repeats):
            value = repeat.metrics[metric]
            if value:
                yield f"{arm}, {repeat_words(number)}: {metric} was {value:g}, expected 0"
    for number, repeat in enumerate(repeats):
        lost, allowed = repeat.metrics[LOST] or 0, repeat.metrics[LOST_AT_UNCLEAN] or 0
        if unclean and acks == "all" and lost > allowed:
            yield (
                f"{arm}, {repeat_words(number)}: {LOST} was {lost:g}, expected {allowed:g},"
                " those lost at unclean elections"
            )


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
        return bool(METRICS[metric].optional)
    low = bound.min is None or value >= bound.min
    high = bound.max is None or value <= bound.max
    return not (low and high)
