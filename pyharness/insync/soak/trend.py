"""Judges whether a figure grows: an interval of its slope, and a bound for the growth.

The slope is Theil and Sen's, the median of the slopes of all pairs of samples, with its interval of
95 % (Sen 1968, from Kendall's tau; SciPy's `theilslopes`). It needs no assumption of how the values
are distributed, and a few outliers do not move it. The interval assumes that samples are
independent; if neighbours are alike it is too narrow, so growth has a bound beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

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
    """Return the growth between the first and the last time; None below `LEAST_SAMPLES`."""
    if len(times) < LEAST_SAMPLES:
        return None
    from scipy import stats

    step = -(-len(times) // MOST_SAMPLES)
    at, seen = times[::step], values[::step]
    slope, _, low, high = stats.theilslopes(seen, at, 0.95)
    span = times[-1] - times[0]
    return Trend(float(slope) * span, float(low) * span, float(high) * span, len(times))


def judge(found: Trend | None, allowed: float) -> Literal["pass", "fail", "unknown"]:
    """Compare a growth with its bound.

    `fail`: the whole interval is above the bound. `pass`: the whole interval is below it.
    `unknown`: the bound is inside the interval, or there are too few samples: run for longer.
    """
    if found is None:
        return "unknown"
    if found.low > allowed:
        return "fail"
    return "pass" if found.high <= allowed else "unknown"
