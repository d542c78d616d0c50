"""Judges a soak by its samples: nothing grows, no error, no mark is left when all is quiet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from insync.events.soak_info import SoakSample, by_broker
from insync.outcome import Outcome
from insync.result import Result

DISCONNECT: Final = "disconnect"
"""The disturbance after which connections must have ended, as samples name it."""
LEAST_SAMPLES: Final = 20
MOST_SAMPLES: Final = 1_500
"""All pairs are compared, so of more samples every n-th is taken."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The growth of a figure over the measured time, and the ends of its interval of 95 %."""

    growth: float
    low: float
    high: float


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
    return Trend(float(slope) * span, float(low) * span, float(high) * span)


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
class Bounded:
    """A figure that may not grow; the name is the field of a sample.

    Growth over the measured time is allowed: at `least`, or as a `share` of the figure's median.
    """

    name: str
    says: str
    unit: str
    least: float
    share: float

    def allowed(self, values: Sequence[float]) -> float:
        return max(self.least, self.share * median(values))


FIGURES: Final = (
    Bounded("heap_mb", "heap after a collection", "MB", 4.0, 0.08),
    Bounded("threads", "threads", "", 3.0, 0.04),
    Bounded("handles", "open file descriptors", "", 10.0, 0.05),
    Bounded("pending", "marks of pending fetches", "", 3.0, 0.5),
)
"""What a soak measures. A leak of 8 bytes per fetch is 27 MB at each broker after 10^7 fetches."""


def checks(
    samples: Sequence[SoakSample],
    ending: Sequence[Result],
    disturbed: Mapping[str, int],
    warm_up_s: float,
) -> tuple[Result, ...]:
    """Return everything that is expected of a soak.

    `ending` is what `quiet` returned, `disturbed` how often each disturbance was made.
    """
    measured = [each for each in samples if each.t_s >= warm_up_s]
    return (
        Result(of="growth", children=tuple(_trends(measured))),
        Result(of="the agent and the end", children=(*_errors(samples), *ending)),
        Result(
            of="disturbances",
            children=(
                *(_at_least(words, times, 1) for words, times in disturbed.items()),
                _at_least("connections lost while a broker was frozen", *_lost(samples)),
                _at_least("fetch sessions evicted", grown("evicted", samples), 1),
            ),
        ),
    )


def _trends(measured: Sequence[SoakSample]) -> list[Result]:
    found = []
    for broker, own in by_broker(measured).items():
        found += [
            _trend(figure, broker, own)
            for figure in FIGURES
            if all(getattr(each, figure.name) is not None for each in own)
        ]
    return found or [Result(of="all figures", found="no sample after the warm-up: run for longer")]


def _trend(figure: Bounded, broker: int, samples: Sequence[SoakSample]) -> Result:
    values = [float(getattr(each, figure.name)) for each in samples]
    allowed = figure.allowed(values)
    found = trend([each.t_s for each in samples], values)
    unit = f" {figure.unit}" if figure.unit else ""
    if found is None:
        words = f"{len(values)} samples, too few to judge"
    else:
        words = f"grew by {found.growth:+.1f}{unit} ({found.low:+.1f} to {found.high:+.1f})"
    return Result(
        of=f"broker {broker}, {figure.says}", found=words, outcome=judge(found, allowed),
        expected=f"at most {allowed:+.1f}{unit} over the measured time",
    )  # fmt: skip


def _errors(samples: Sequence[SoakSample]) -> list[Result]:
    found = []
    for broker, own in by_broker(samples).items():
        last = own[-1]
        for name, count in (("errors of the agent", last.errors), ("events lost", last.dropped)):
            if count is not None:
                found.append(_none(f"broker {broker}, {name}", count))
    return found


def quiet(pending: Mapping[int, int], not_full: str | None, failed_records: int) -> list[Result]:
    """Return the checks of what is left when the disturbances have ended.

    `pending` has the marks of each broker that has the agent, with the feature switched off;
    `not_full` says which ISRs lack a replica; `failed_records` were not acked.
    """
    return [
        Result(
            of="ISRs at the end",
            expected="every one is full",
            found=not_full or "",
            outcome=Outcome.FAIL if not_full else Outcome.PASS,
        ),
        _none("records that were not acked", failed_records),
        *(
            _none(f"broker {broker}, marks that are left when all is quiet", marks)
            for broker, marks in sorted(pending.items())
        ),
    ]


def _none(what: str, count: int) -> Result:
    outcome = Outcome.FAIL if count else Outcome.PASS
    return Result(of=what, expected="0", found=str(count), outcome=outcome)


def _at_least(what: str, count: int, least: int) -> Result:
    outcome = Outcome.PASS if count >= least else Outcome.UNKNOWN
    return Result(of=what, expected=f"at least {least}", found=str(count), outcome=outcome)


def _lost(samples: Sequence[SoakSample]) -> tuple[int, int]:
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


def grown(name: str, samples: Sequence[SoakSample]) -> int:
    """Return by how much a counter grew in all brokers together between first and last sample."""
    brokers = by_broker(samples).values()
    return sum(getattr(own[-1], name) - getattr(own[0], name) for own in brokers)
