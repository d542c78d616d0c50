"""Level cost: what the candidate takes per fetch and under load, beside the baseline.

Both sides are measured in turn, as `insync overhead` measures arms.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from insync.engine.campaign import DONE, Done
from insync.outcome import Outcome
from insync.overhead.campaign import Overhead
from insync.overhead.figures import FIGURES, Round, differences
from insync.overhead.request import RECORDS
from insync.progress import Progress
from insync.result import Result
from insync.statistics import median_interval, pairs_needed
from insync.verify.criteria import Criterion, Judged
from insync.verify.level import Level, Verification

BASELINE: Final = "baseline"
CANDIDATE: Final = "candidate"


class CostLevel(Level, Overhead):
    """The level: both sides are measured as arms are, and judged by the criteria."""

    name = "cost"
    says = "bytes, system calls and waits per fetch, throughput, latency, CPU and memory"
    part = "figure"

    def __init__(self, what: Verification, progress: Progress) -> None:
        """Plan as many rounds as an interval needs, or as --repeats says if that is more."""
        rounds = max(pairs_needed(), what.request.repeats)
        Overhead.__init__(self, (what.baseline, what.candidate), rounds, RECORDS)
        self._criteria = [each for each in what.criteria if each.is_of_cost]

    def judge(self, done: Done) -> Result:
        rounds = [each for each in self.rounds(done) if len(each) > 1]
        return Result(
            of=self.name,
            children=tuple(checks_of(rounds, self._criteria)) if rounds else (),
            links={"the measurements": DONE},
        )


def checks_of(rounds: Sequence[Round], criteria: Sequence[Criterion]) -> Iterator[Result]:
    """Yield a check per criterion, and one per figure without any, of which nothing is expected."""
    found = {each.figure.name: each for each in differences(rounds, BASELINE)}
    for criterion in criteria:
        name = criterion.metric
        pairs = [(each[BASELINE][name], each[CANDIDATE][name]) for each in rounds]
        yield found[name].check(f"{name} {criterion}", *judge(criterion, pairs))
    for spec in FIGURES:
        if all(each.metric != spec.name for each in criteria):
            yield found[spec.name].check()


def judge(criterion: Criterion, pairs: Sequence[tuple[float, float]]) -> Judged:
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
