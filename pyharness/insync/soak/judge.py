"""Judges a soak by its samples: nothing grows, no error, no mark is left when all is quiet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from insync.events.soak_info import Check, Disturbance, Sample, by_broker
from insync.outcome import Outcome, worst
from insync.soak.plan import DISCONNECT, GOAL_FETCHES, GOAL_S

LEAST_SAMPLES: Final = 20
MOST_SAMPLES: Final = 1_500
"""All pairs are compared, so of more samples every n-th is taken."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The growth of a figure over the measured time, and the ends of its interval of 95 %."""

    growth: float
    low: float
    high: float
    samples: int


def trend(times: Sequence[float], values: Sequence[float]) -> Trend | None:
    """Return the growth between the first and the last time; None below `LEAST_SAMPLES`.

    By the slope of Theil and Sen, the median of the slopes of all pairs of samples, with its
    interval of 95 %. It assumes nothing of how the values are distributed, and a few outliers do
    not move it. If neighbours are alike the interval is too narrow, so growth has a bound as well.
    """
    if len(times) < LEAST_SAMPLES:
        return None
    from scipy import stats

    step = -(-len(times) // MOST_SAMPLES)
    at, seen = times[::step], values[::step]
    slope, _, low, high = stats.theilslopes(seen, at, 0.95)
    span = times[-1] - times[0]
    return Trend(float(slope) * span, float(low) * span, float(high) * span, len(times))


def judge(found: Trend | None, allowed: float) -> Outcome:
    """Compare a growth with its bound.

    `fail`: the whole interval is above the bound. `pass`: the whole interval is below it.
    `unknown`: the bound is inside the interval, or there are too few samples: run for longer.
    """
    if found is None:
        return Outcome.UNKNOWN
    if found.low > allowed:
        return Outcome.FAIL
    return Outcome.PASS if found.high <= allowed else Outcome.UNKNOWN


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that may not grow.

    Attributes:
        name: the field of a sample.
        says: what it is, for readers.
        unit: behind its values.
        least: growth over the measured time that is always allowed.
        share: growth that is allowed as a share of the figure's median; the larger one counts.

    """

    name: str
    says: str
    unit: str
    least: float
    share: float

    def allowed(self, values: Sequence[float]) -> float:
        """Return the bound of its growth."""
        return max(self.least, self.share * median(values))


FIGURES: Final = (
    Figure("heap_mb", "heap after a collection", "MB", 4.0, 0.08),
    Figure("threads", "threads", "", 3.0, 0.04),
    Figure("handles", "open file descriptors", "", 10.0, 0.05),
    Figure("pending", "marks of pending fetches", "", 3.0, 0.5),
)
"""What a soak measures. A leak of 8 bytes per fetch is 27 MB at each broker after 10^7 fetches."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What was found when the disturbances had ended.

    `pending` has the marks of each broker with the feature switched off, None without the agent;
    `under_replicated` partitions; `failed_records` that were not acked.
    """

    pending: Mapping[int, int] | None
    under_replicated: int
    failed_records: int


def checks(
    samples: Sequence[Sample],
    ending: Ending,
    disturbances: Iterable[Disturbance],
    warm_up_s: float,
    seconds: float,
) -> list[Check]:
    """Return everything that is expected of a soak of so many seconds, with its outcome."""
    measured = [each for each in samples if each.t_s >= warm_up_s]
    return [
        *_trends(measured),
        *_errors(samples),
        *_quiet(ending),
        *map(_acted, disturbances),
        _at_least("connections lost while a broker was frozen", *_lost(samples)),
        _at_least("fetch sessions evicted", grown("evicted", samples), 1),
        _reached(samples, seconds),
    ]


def verdict(found: Iterable[Check]) -> tuple[Outcome, str]:
    """Return the worst outcome, and the words of the checks that have it."""
    known = list(found)
    outcome = worst(each.outcome for each in known).verdict
    if outcome == Outcome.PASS:
        return outcome, "nothing grows, no error, no mark is left"
    return outcome, "; ".join(each.words for each in known if each.outcome == outcome)


def _trends(measured: Sequence[Sample]) -> list[Check]:
    found = []
    for broker, own in by_broker(measured).items():
        found += [_trend(figure, broker, own) for figure in FIGURES if _has(figure, own)]
    return found or [
        Check(
            check="trend",
            outcome=Outcome.UNKNOWN,
            words="no sample after the warm-up: run for longer",
        )
    ]


def _has(figure: Figure, samples: Sequence[Sample]) -> bool:
    return all(getattr(each, figure.name) is not None for each in samples)


def _trend(figure: Figure, broker: int, samples: Sequence[Sample]) -> Check:
    values = [float(getattr(each, figure.name)) for each in samples]
    allowed = figure.allowed(values)
    found = trend([each.t_s for each in samples], values)
    outcome = judge(found, allowed)
    unit = f" {figure.unit}" if figure.unit else ""
    if found is None:
        words = f"{len(values)} samples, too few to judge"
        return Check(
            check="trend", broker=broker, outcome=outcome, figure=figure.name, allowed=allowed,
            words=f"broker {broker}: {figure.says}: {words}",
        )  # fmt: skip
    words = (
        f"broker {broker}: {figure.says}: {found.growth:+.1f}{unit} over the measured time"
        f" ({found.low:+.1f} to {found.high:+.1f}), at most {allowed:+.1f} allowed"
    )
    return Check(
        check="trend", broker=broker, outcome=outcome, words=words, figure=figure.name,
        growth=found.growth, low=found.low, high=found.high, allowed=allowed,
    )  # fmt: skip


def _errors(samples: Sequence[Sample]) -> list[Check]:
    found = []
    for broker, own in by_broker(samples).items():
        last = own[-1]
        for name, count in (("errors of the agent", last.errors), ("events lost", last.dropped)):
            if count is not None:
                found.append(_none(f"broker {broker}: {name}", count, broker))
    return found


def _quiet(ending: Ending) -> list[Check]:
    found = [
        _none("partitions under-replicated at the end", ending.under_replicated),
        _none("records that were not acked", ending.failed_records),
    ]
    for broker, marks in sorted((ending.pending or {}).items()):
        words = f"broker {broker}: marks that are left when all is quiet"
        found.append(_none(words, marks, broker))
    return found


def _none(what: str, count: int, broker: int | None = None) -> Check:
    outcome = Outcome.FAIL if count else Outcome.PASS
    return Check(check="none", broker=broker, outcome=outcome, words=f"{what}: {count}")


def _acted(each: Disturbance) -> Check:
    outcome = Outcome.PASS if each.times else Outcome.UNKNOWN
    return Check(check="disturbed", outcome=outcome, words=f"{each.words}: {each.times} times")


def _at_least(says: str, count: int, least: int) -> Check:
    outcome = Outcome.PASS if count >= least else Outcome.UNKNOWN
    words = f"{says}: {count}, at least {least} expected"
    return Check(check="evidence", outcome=outcome, words=words)


def _lost(samples: Sequence[Sample]) -> tuple[int, int]:
    """Return how many connections ended while brokers were frozen, and how many had to.

    A frozen broker is a follower of the two others, each of which closes its connection.
    """
    lost = frozen = 0
    brokers = by_broker(samples)
    for own in brokers.values():
        for before, sample in pairwise(own):
            if sample.after == DISCONNECT:
                lost += sample.closed - before.closed
                frozen += 1
    return lost, max(1, (len(brokers) - 1) * frozen // len(brokers))


def grown(name: str, samples: Sequence[Sample]) -> int:
    """Return by how much a counter grew in all brokers together between first and last sample."""
    brokers = by_broker(samples).values()
    return sum(getattr(own[-1], name) - getattr(own[0], name) for own in brokers)


def _reached(samples: Sequence[Sample], seconds: float) -> Check:
    fetches = grown("fetches", samples)
    words = f"{fetches:,} fetches of followers in {seconds / 3600:.2f} h"
    if fetches < GOAL_FETCHES and seconds < GOAL_S:
        words += f"; {GOAL_FETCHES:,} or {GOAL_S / 3600:g} h are the goal of a long soak"
    return Check(check="length", outcome=Outcome.OBSERVED, words=words)
