"""Level cost: what the candidate takes per fetch and under load, beside the baseline.

Both sides are measured in turn, as `insync bench overhead` measures arms. An interrupted
verification continues after the last measurement that was complete.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from insync import arms
from insync.brokers.kafka.resolve import distribution
from insync.engine.campaign import Place
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.overhead import measure
from insync.overhead.figures import FIGURES, differences
from insync.overhead.load_tool import LoadTool
from insync.overhead.rounds import DOCUMENT, Round, document, measure_rounds
from insync.result import Result, Table
from insync.run.plan import built_agent
from insync.statistics import median_interval, pairs_needed
from insync.verify.criteria import CostCriterion, Judged
from insync.verify.level import Level, Verification

NAME: Final = "cost"
SIZE: Final = measure.Size()
BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"
_SPECS: Final = {spec.name: spec for spec in FIGURES}


def run(what: Verification, place: Place) -> Result:
    """Measure both sides as often as an interval needs, or as --repeats says if that is more."""
    out, tell = place.folder / NAME, place.progress.phase
    both = [
        measure.Side(
            name=side.name,
            dist=distribution(side.kafka, what.java, tell),
            settings={**arms.settings(side.arm), **side.settings},
            agent=None if side.agent is None else built_agent(),
            unknown_methods=what.request.unknown_methods,
        )
        for side in (what.baseline, what.candidate)
    ]
    tool = LoadTool.fetched(both[0].dist, tell)
    out.mkdir(parents=True, exist_ok=True)
    times = max(pairs_needed(), what.request.repeats)
    rounds = measure_rounds(both, partial(measure.measure, SIZE, tool), times, out, tell)
    name = what.candidate.release.name
    whole = document(name, what.java.description, SIZE, rounds, what.baseline.name)
    write_atomic(out / DOCUMENT, json.dumps(whole, indent=2) + "\n")
    judged = [each for each in what.criteria.cost if each.is_claimed(what.candidate.claims)]
    return Result(
        of=NAME,
        children=tuple(checks_of(rounds, judged)),
        tables=(_table(rounds),),
        links={"the measurements": f"{NAME}/{DOCUMENT}"},
    )


def checks_of(rounds: Sequence[Round], criteria: Sequence[CostCriterion]) -> Iterator[Result]:
    """Yield a check per criterion, and one per figure without any, of which nothing is expected."""
    shown = {each.figure: each for each in differences(rounds, BASELINE)}

    def check(name: str, expected: str, outcome: Outcome, why: str = "") -> Result:
        spec, both = _SPECS[name], shown[name]
        base, own = (f"{value:,.{spec.digits}f}" for value in (both.base, both.value))
        return Result(of=spec.heading, expected=expected, baseline=base,
                      found=f"{own}; {why}" if why else own, outcome=outcome)  # fmt: skip

    for criterion in criteria:
        name = criterion.metric
        pairs = [(each[BASELINE][name], each[CANDIDATE][name]) for each in rounds]
        yield check(name, str(criterion), *judge(criterion, pairs))
    for spec in FIGURES:
        if all(each.metric != spec.name for each in criteria):
            yield check(spec.name, spec.says, Outcome.OBSERVED)


def judge(criterion: CostCriterion, pairs: Sequence[tuple[float, float]]) -> Judged:
    """Return whether a figure fulfils a criterion, by the interval of how far it is from the limit.

    `pairs` are of the baseline and the candidate in the same round. It is unknown if the interval
    has values on both sides of the limit, or if there are too few rounds for one.
    """
    interval = median_interval([own - criterion.factor * base for base, own in pairs])
    if interval is None:
        return Outcome.UNKNOWN, f"{len(pairs)} rounds, expected {pairs_needed()} or more"
    fulfilled = {criterion.holds(end, 0.0) for end in (interval.low, interval.high)}
    if fulfilled == {True}:
        return Outcome.PASS, ""
    low, high = (end - criterion.plus for end in (interval.low, interval.high))
    away = f"values differ from the limit by {low:+.4g} to {high:+.4g}"
    if fulfilled == {False}:
        return Outcome.FAIL, away
    return Outcome.UNKNOWN, f"{away}; more --repeats may tell"


def _table(rounds: Sequence[Round]) -> Table:
    rows = []
    for each in differences(rounds, BASELINE):
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
