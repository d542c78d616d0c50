"""Level cost: what the candidate takes per fetch and under load, beside the baseline.

Both sides are measured in turn, as `insync overhead` measures arms.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from insync import arms
from insync.engine.campaign import DONE, Options, Place, is_campaign, read_done, run_campaign
from insync.outcome import Outcome
from insync.overhead.campaign import Overhead
from insync.overhead.figures import FIGURES, Round, differences, table
from insync.overhead.measure import Subject
from insync.overhead.request import RECORDS
from insync.result import Result
from insync.run.plan import built_agent
from insync.statistics import median_interval, pairs_needed
from insync.verify.criteria import CostCriterion, Judged
from insync.verify.level import Verification

NAME: Final = "cost"
BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"


def run(what: Verification, place: Place) -> Result:
    """Measure both sides as often as an interval needs, or as --repeats says if that is more."""
    folder = place.folder / NAME
    both = [
        Subject(
            name=side.name,
            kafka=side.kafka,
            settings={**arms.settings(side.arm), **side.settings},
            agent=None if side.agent is None else built_agent(),
            unknown_methods=what.request.unknown_methods,
        )
        for side in (what.baseline, what.candidate)
    ]
    overhead = Overhead(both, max(pairs_needed(), what.request.repeats), RECORDS)
    options = Options(out=folder, resume=is_campaign(folder))
    run_campaign(overhead, options, place.progress, folder)
    (rounds,) = overhead.rounds(read_done(folder)).values()
    judged = [each for each in what.criteria.cost if each.is_claimed(what.candidate.claims)]
    return Result(
        of=NAME,
        children=tuple(checks_of(rounds, judged)),
        tables=(table(f"Rounds: {len(rounds)}", differences(rounds, BASELINE), BASELINE),),
        links={"the measurements": f"{NAME}/{DONE}"},
    )


def checks_of(rounds: Sequence[Round], criteria: Sequence[CostCriterion]) -> Iterator[Result]:
    """Yield a check per criterion, and one per figure without any, of which nothing is expected."""
    found = {each.figure.name: each for each in differences(rounds, BASELINE)}
    for criterion in criteria:
        name = criterion.metric
        pairs = [(each[BASELINE][name], each[CANDIDATE][name]) for each in rounds]
        yield found[name].check(f"{name} {criterion}", *judge(criterion, pairs))
    for spec in FIGURES:
        if all(each.metric != spec.name for each in criteria):
            yield found[spec.name].check()


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
    low, high = (end - criterion.margin for end in (interval.low, interval.high))
    away = f"values differ from the limit by {low:+.4g} to {high:+.4g}"
    if fulfilled == {False}:
        return Outcome.FAIL, away
    return Outcome.UNKNOWN, f"{away}; more --repeats may tell"
