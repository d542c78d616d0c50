"""The exact methods agree with SciPy's, and are wrong as rarely as they claim.

The latter are simulations, seeded: many times n repeats of a known distribution. An interval is a
pair of ranks, as SciPy's is, so its ranks are applied to all simulated repeats at once.
"""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from insync.analysis.tables.gold.compare import CELL, differences
from insync.statistics import (
    CONFIDENCE,
    LEVEL,
    Interval,
    change_between,
    exchange_p,
    holm,
    median_interval,
    pairs_needed,
    shift_interval,
    sign_flip_p,
)


@pytest.mark.parametrize("n", range(1, 41))
def test_an_interval_is_that_of_scipys_quantile_test(n: int) -> None:
    values = [(7 * each) % 41 for each in range(n)]
    found = median_interval(values)
    expected = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    if n < 6:
        assert found is None
    else:
        assert found == Interval(expected.low, expected.high)


def test_the_sign_flip_test_counts_all_assignments_of_signs() -> None:
    assert sign_flip_p([1, 1, 1, 1, 1]) is None
    assert sign_flip_p([1, 1, 1, 1, 1, 1]) == 2 / 2**6
    assert sign_flip_p([0, 0, 1, 1, 1, 1, 1, 1]) == 2 / 2**6
    assert sign_flip_p([0, 1, 1, 1, 1, 1]) is None
    assert sign_flip_p([1, -1, 1, -1, 1, -1]) == 1.0
    # More than that are drawn: the p-value is never below that of the observed one alone.
    assert sign_flip_p([1.0] * 40) == pytest.approx(2 / 2**16, rel=0.01)


def test_unpaired_values_need_four_and_four() -> None:
    assert exchange_p([1, 2, 3], [11, 12, 13]) is None
    assert shift_interval([1, 2, 3], [11, 12, 13]) is None
    assert exchange_p([1, 2, 3, 4], [11, 12, 13, 14]) == 2 / 70
    assert shift_interval([1, 2, 3, 4], [11, 12, 13, 14]) == Interval(7, 13)
    assert change_between([1, 2, 3, 4], [11, 12, 13, 14]).difference == 10
    assert exchange_p([5] * 6, [5] * 6) is None
    assert exchange_p([], [1, 2]) is None


@given(st.integers(2, 8), st.integers(2, 8), st.data())
def test_a_shift_is_outside_of_its_interval_where_mann_whitney_refuses_it(
    n: int, m: int, data: st.DataObject
) -> None:
    numbers = data.draw(st.permutations(range(n + m)))
    first, second = [2 * each for each in numbers[:n]], [2 * each for each in numbers[n:]]
    found = shift_interval(first, second)
    refused = stats.mannwhitneyu(first, second, method="exact").pvalue <= 0.05
    # An odd shift: no two values are the same.
    outside = found is not None and not found.low <= 0 <= found.high
    assert outside == refused


def test_holm_multiplies_the_smallest_by_the_number_of_tests() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, None, 0.9]) == [1.0, None, 1.0]


def test_the_pairs_needed_grow_with_the_comparisons() -> None:
    assert [pairs_needed(n) for n in (1, 2, 24, 100)] == [6, 7, 10, 12]
    for comparisons in (1, 2, 24, 100):
        pairs = pairs_needed(comparisons)
        assert 2 / 2**pairs * comparisons <= 0.05 < 2 / 2 ** (pairs - 1) * comparisons


TIMES = 20_000
SLACK = 4 * (CONFIDENCE * LEVEL / TIMES) ** 0.5
"""Four standard errors of a simulated coverage."""

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]
MEDIAN_0: dict[str, Draw] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "skewed": lambda rng, size: np.exp(2 * rng.normal(size=size)) - 1,
    "heavy tails": lambda rng, size: rng.standard_cauchy(size=size),
    "counts with ties": lambda rng, size: rng.integers(-2, 3, size=size),
    "two modes": lambda rng, size: rng.choice([-1.0, 1.0], size=size) * rng.uniform(size=size),
}


def covered(n: int, draw: Draw) -> float:
    """Return how often the interval of n repeats holds the true median, which is 0."""
    ranks = median_interval(range(1, n + 1))
    assert ranks is not None
    values = np.sort(draw(np.random.default_rng(n), (TIMES, n)), axis=1)
    low, high = values[:, int(ranks.low) - 1], values[:, int(ranks.high) - 1]
    return float(np.mean((low <= 0) & (high >= 0)))


@pytest.mark.parametrize("name", MEDIAN_0)
def test_intervals_of_medians_hold_the_median_as_often_as_they_claim(name: str) -> None:
    for n in (6, 7, 8, 9, 11, 14, 20):
        assert covered(n, MEDIAN_0[name]) >= CONFIDENCE - SLACK, n


def test_the_sign_flip_test_is_wrong_as_rarely_as_it_claims() -> None:
    rng = np.random.default_rng(7)
    for n in (6, 8):
        found = [sign_flip_p(each) for each in rng.normal(size=(400, n)).tolist()]
        p_values = np.array(found, dtype=float)
        assert np.mean(p_values <= LEVEL) <= LEVEL + 4 * (LEVEL * CONFIDENCE / 400) ** 0.5


def test_all_tests_of_a_scenario_together_are_wrong_as_rarely_as_they_claim() -> None:
    """Counts have many ties, so some comparisons have too few pairs that differ for a test."""
    runs = pa.table({"run": ["r"], "control_arms": [["stock"]]})
    rng, times, metrics, pairs = np.random.default_rng(3), 250, 6, 9
    wrong = 0
    for drawn in rng.integers(0, 3, size=(times, 2, metrics, pairs)).tolist():
        rows = [
            {**dict.fromkeys(CELL, "x"), "arm": arm, "run": "r", "repeat": repeat,
             "metric": str(metric), "value": float(value)}
            for arm, of_arm in zip(("stock", "plugin"), drawn, strict=True)
            for metric, values in enumerate(of_arm)
            for repeat, value in enumerate(values)
        ]  # fmt: skip
        found = [row["p_holm"] for row in differences(pa.Table.from_pylist(rows), runs)]
        wrong += any(p_holm is not None and p_holm <= LEVEL for p_holm in found)
    assert wrong / times <= LEVEL + 4 * (LEVEL * CONFIDENCE / times) ** 0.5
