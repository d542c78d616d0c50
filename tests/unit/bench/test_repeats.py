"""Repeats take turns, and their values are summarized."""

import pytest

from insync.bench.repeats import Spread, in_turn


def test_every_repeat_starts_with_another_item() -> None:
    assert list(in_turn("ab", 3)) == [(0, "a"), (0, "b"), (1, "b"), (1, "a"), (2, "a"), (2, "b")]
    assert [item for _, item in in_turn("abc", 3)] == [*"abc", *"bca", *"cab"]


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([3e6, 1e6, 2e6], "2.0 (1.0-3.0)"),
        ([1e6, 2e6], "1.5 (1.0-2.0)"),
        ([1234e6], "1,234.0 (1,234.0)"),
        ([1.01e6, 1.02e6], "1.0 (1.0)"),
    ],
)
def test_a_spread_is_a_median_and_a_range(values: list[float], written: str) -> None:
    assert Spread.of(values).written(1, unit=1e6) == written
