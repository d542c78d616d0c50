"""The exact methods agree with SciPy's, and say nothing where there are too few repeats."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from insync.statistics import (
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
