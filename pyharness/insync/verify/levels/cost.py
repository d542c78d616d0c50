"""Level cost: what the candidate takes per fetch and under load, beside the baseline.

Both sides are measured in turn, as `insync bench overhead` measures arms. An interrupted
verification continues after the last measurement that was complete.
"""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from insync import arms
from insync.bench.overhead import measure
from insync.bench.overhead.figures import FIGURES, FigureSpec, differences
from insync.bench.overhead.load_tool import LoadTool
from insync.bench.overhead.rounds import DOCUMENT, Round, document, measure_rounds
from insync.brokers.kafka.resolve import distribution
from insync.events.verify_info import CheckRow, LevelInfo
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.result import Table
from insync.run.plan import built_agent
from insync.statistics import median_interval, pairs_needed
from insync.verify.criteria import Condition, CostCriterion, Judged, parse_cost
from insync.verify.level import Context, Level, result
from insync.verify.sides import Side

NAME: Final = "cost"
SIZE: Final = measure.Size()
_SPECS: Final = {spec.name: spec for spec in FIGURES}


def run(candidate: Side, baseline: Side, out: Path, context: Context) -> LevelInfo:
    """Measure both sides as often as an interval needs, or as --repeats says if that is more."""
    both = [_measured(side, context) for side in (baseline, candidate)]
    tool = LoadTool.fetched(both[0].dist, context.progress.phase)
    out.mkdir(parents=True, exist_ok=True)
    times = max(pairs_needed(), context.asked.repeats)
    rounds = measure_rounds(
        both, partial(measure.measure, SIZE, tool), times, out, context.progress.phase
    )
    whole = document(candidate.info.kafka, context.java.description, SIZE, rounds, baseline.name)
    write_atomic(out / DOCUMENT, json.dumps(whole, indent=2) + "\n")
    rows = rows_of(rounds, candidate, baseline, context.criteria.cost)
    return result(NAME, rows, tables=[_table(rounds, baseline.name)])


def _measured(side: Side, context: Context) -> measure.Side:
    return measure.Side(
        name=side.name,
        dist=distribution(side.kafka, context.java, context.progress.phase),
        settings={**arms.settings(side.arm), **side.info.settings},
        agent=None if side.info.agent is None else built_agent(),
        unknown_methods=context.asked.unknown_methods,
    )


def rows_of(
    rounds: Sequence[Round], candidate: Side, baseline: Side, criteria: Sequence[CostCriterion]
) -> list[CheckRow]:
    """Return a row per criterion, and one per figure without any, of which nothing is expected."""
    rows = []
    judged = [each for each in criteria if each.applies(candidate.info.claims)]
    shown = {each.figure: each for each in differences(rounds, baseline.name)}
    for criterion in judged:
        condition = parse_cost(criterion.check)
        pairs = [(each[baseline.name], each[candidate.name]) for each in rounds]
        name = condition.metric
        found = judge(condition, [(base[name], own[name]) for base, own in pairs])
        rows.append(_row(_SPECS[name], criterion.check, shown[name].base, shown[name].value, found))
    told = {parse_cost(each.check).metric for each in judged}
    for spec in FIGURES:
        if spec.name not in told:
            one = shown[spec.name]
            rows.append(_row(spec, spec.says, one.base, one.value, Judged(Outcome.OBSERVED)))
    return rows


def judge(condition: Condition, pairs: Sequence[tuple[float, float]]) -> Judged:
    """Return whether a figure fulfils a condition, by the interval of how far it is from the limit.

    `pairs` are of the baseline and the candidate in the same round. It is unknown if the interval
    has values on both sides of the limit, or if there are too few rounds for one.
    """
    interval = median_interval([own - condition.factor * base for base, own in pairs])
    if interval is None:
        return Judged(Outcome.UNKNOWN, f"{len(pairs)} rounds, expected {pairs_needed()} or more")
    fulfilled = {condition.holds(end, 0.0) for end in (interval.low, interval.high)}
    if fulfilled == {True}:
        return Judged(Outcome.PASS)
    low, high = (end - condition.plus for end in (interval.low, interval.high))
    away = f"from the limit by {low:+.4g} to {high:+.4g}"
    if fulfilled == {False}:
        return Judged(Outcome.FAIL, f"expected {condition}, found values that differ {away}")
    return Judged(Outcome.UNKNOWN, f"{condition}: values differ {away}; more --repeats may tell")


def _row(spec: FigureSpec, check: str, base: float, value: float, found: Judged) -> CheckRow:
    return CheckRow(
        of=spec.heading, check=check, baseline=f"{base:,.{spec.digits}f}",
        candidate=f"{value:,.{spec.digits}f}", outcome=found.outcome, why=found.why,
        where=f"{NAME}/{DOCUMENT}",
    )  # fmt: skip


def _table(rounds: Sequence[Round], baseline: str) -> Table:
    rows = []
    for each in differences(rounds, baseline):
        spec = _SPECS[each.figure]
        interval = "-"
        if each.low is not None and each.high is not None:
            interval = f"{each.low:+.1%} to {each.high:+.1%}"
        needed = "-" if each.rounds_for_1_percent is None else f"{each.rounds_for_1_percent:,}"
        rows.append((
            spec.heading, spec.kind, f"{each.base:,.{spec.digits}f}",
            f"{each.value:,.{spec.digits}f}", interval, needed,
        ))  # fmt: skip
    return Table(
        title=f"Costs: medians of {len(rounds)} rounds, and the change within a round",
        columns=("figure", "kind", "baseline", "candidate", "change, 95 % interval",
                 "rounds for ±1 %"),
        numeric=(2, 3, 4, 5), rows=tuple(rows),
    )  # fmt: skip


LEVEL = Level(
    name=NAME,
    says="bytes, system calls and waits per fetch, throughput, latency, CPU and memory",
    place=4,
    run=run,
    long=True,
)
