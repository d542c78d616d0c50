"""Computes exact intervals and tests over repeats: medians, paired and unpaired differences.

Nothing is assumed of how figures are distributed, and no interval is an approximation. With few
repeats there is therefore no interval and no test, and `pairs_needed` says how many give one. A
simulation (tests/unit/statistics) checks how often the intervals hold the true value, and how often
the tests are wrong.

SciPy is imported when it is needed: a command that shows one repeat does not wait for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import comb, inf
from statistics import median
from typing import Any, Final

CONFIDENCE: Final = 0.95
LEVEL: Final = 0.05
"""The probability with which an interval misses the true value, or a test finds what is not there:
at most this. Figures have few repeats, so it is often less."""

MOST_ENUMERATED: Final = 1 << 16
"""Tests enumerate up to so many assignments of signs or of arms; of more they draw so many, seeded,
and count the observed one with them, which keeps the level."""


@dataclass(frozen=True)
class Interval:
    """An interval that holds the true value with a probability of at least 95 %."""

    low: float
    high: float


@dataclass(frozen=True)
class Change:
    """How far values are above those that they are compared with.

    `difference` is the median, `low` to `high` its interval, and `p_value` that of the exact test;
    None with too few values.
    """

    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None


def change_of_pairs(gained: Sequence[float]) -> Change:
    """Return the change that the differences of pairs show."""
    found = median_interval(gained)
    low, high = (found.low, found.high) if found else (None, None)
    return Change(median(gained) if gained else None, low, high, sign_flip_p(gained))


def change_between(first: Sequence[float], second: Sequence[float]) -> Change:
    """Return how far values of `second` are above those of `first`; they are not paired."""
    found = shift_interval(first, second)
    low, high = (found.low, found.high) if found else (None, None)
    middle = median(after - before for before in first for after in second)
    return Change(middle, low, high, exchange_p(first, second))


def median_interval(values: Sequence[float]) -> Interval | None:
    """Return the order-statistic interval of the median; None below 6 values.

    It is the narrowest pair of ranks with a binomial probability of at least 95 %, whatever the
    distribution.
    For differences of pairs it is the inversion of the sign test.
    """
    rank = _median_rank(len(values))
    if rank == 0:
        return None
    ordered = sorted(values)
    return Interval(ordered[rank - 1], ordered[-rank])


def shift_interval(first: Sequence[float], second: Sequence[float]) -> Interval | None:
    """Return the interval of how far values of `second` are above those of `first`, unpaired.

    It inverts the exact Mann-Whitney test: ranks of all differences. None if there are too few
    values, such as 3 and 3; 4 and 4 are enough. It assumes that the two differ by a shift only.
    """
    rank = _shift_rank(len(first), len(second))
    if rank == 0:
        return None
    ordered = sorted(after - before for before in first for after in second)
    return Interval(ordered[rank - 1], ordered[-rank])


def sign_flip_p(differences: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the exact sign-flip test on differences of pairs.

    Under the null hypothesis the two arms of a pair could be exchanged: every assignment of signs
    to the differences is as likely, and the test compares the sums. None if so few differences are
    not 0 that no assignment could give a p-value of 0.05; then the test has nothing to say.
    """
    if not testable(differences):
        return None
    return _permutation_p((differences,), _sum, "samples")


def testable(differences: Sequence[float]) -> bool:
    """Whether a sign-flip test of these differences could give a p-value of 0.05."""
    return sum(1 for each in differences if each != 0) >= pairs_needed()


def exchange_p(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the two-sided p-value of the exact permutation test on the difference of the means.

    Under the null hypothesis a value could as well be of the other arm. None if all values are the
    same, or if there are so few that no p-value of 0.05 is possible.
    """
    few = 2 / comb(len(first) + len(second), len(first)) > LEVEL
    if not first or not second or few or len({*first, *second}) == 1:
        return None
    return _permutation_p((first, second), _difference_of_means, "independent")


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return p-values adjusted by Holm's method: all of them together are wrong at most 5 %.

    None stands for a missing test and is not counted.
    """
    tested = {place: p for place, p in enumerate(p_values) if p is not None}
    order = sorted(tested, key=lambda place: tested[place])
    steps = (tested[place] * (len(order) - n) for n, place in enumerate(order))
    adjusted = dict(zip(order, accumulate(steps, max), strict=True))
    return [min(1.0, adjusted[at]) if at in adjusted else None for at in range(len(p_values))]


def pairs_needed(comparisons: int = 1) -> int:
    """Return how many pairs can show a difference that every pair has, in so many comparisons.

    The smallest p-value of n pairs is 2 / 2^n; Holm's method multiplies the first one by the number
    of comparisons. One comparison needs 6.
    """
    pairs = 1
    while 2 * comparisons > LEVEL * 2**pairs:
        pairs += 1
    return pairs


def values_needed(comparisons: int = 1) -> int:
    """Return how many values of each of two separate results can show what differs in all of them.

    The smallest p-value of n and n values is 2 / C(2n, n). One comparison needs 4 and 4.
    """
    values = 1
    while 2 * comparisons > LEVEL * comb(2 * values, values):
        values += 1
    return values


@cache
def _median_rank(n: int) -> int:
    """Return the rank of the interval's lower end, from 1; 0: there is none."""
    if n < pairs_needed():
        return 0
    from scipy import stats

    return int(stats.binom.ppf(LEVEL / 2, n, 0.5))


@cache
def _shift_rank(n: int, m: int) -> int:
    """Return the rank of the lower end among all n x m differences, from 1; 0: there is none."""
    tail = LEVEL / 2 * comb(n + m, n)
    counted = accumulate(_orders_by_inversions(n, m))
    return next(rank for rank, count in enumerate([*counted, inf]) if count > tail)


def _orders_by_inversions(n: int, m: int) -> list[int]:
    """Return how many orders of n and m values have a Mann-Whitney U of 0, 1, 2, ..."""
    counts = [1] + [0] * (n * m)
    for size in range(1, n + 1):  # the coefficients of Gauss's binomial, factor by factor
        for u in range(n * m, m + size - 1, -1):
            counts[u] -= counts[u - m - size]
        for u in range(size, n * m + 1):
            counts[u] += counts[u - size]
    return counts


def _permutation_p(samples: tuple[Sequence[float], ...], statistic: Any, kind: str) -> float:
    import numpy as np
    from scipy import stats

    found = stats.permutation_test(
        samples,
        statistic,
        permutation_type=kind,
        vectorized=True,
        n_resamples=MOST_ENUMERATED,
        rng=np.random.default_rng(1),
    )
    return float(found.pvalue)


def _sum(values: Any, axis: int) -> Any:
    return values.sum(axis=axis)


def _difference_of_means(first: Any, second: Any, axis: int) -> Any:
    return second.mean(axis=axis) - first.mean(axis=axis)
