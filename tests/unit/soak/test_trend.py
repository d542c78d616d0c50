"""The rule by which a figure grows: made-up samples that grow, do not, or cannot tell."""

import random
from collections.abc import Callable

import pytest

from insync.soak.judge import LEAST_SAMPLES, MOST_SAMPLES, Trend, judge, trend

Series = tuple[list[float], list[float]]
MINUTE = 60.0


def series(value: Callable[[float], float], count: int = 200, noise: float = 1.0) -> Series:
    draws = random.Random(7)  # noqa: S311  # noise of made-up samples
    times = [2 * 60 * MINUTE * number / count for number in range(count)]
    return times, [value(t) + draws.gauss(0, noise) for t in times]


@pytest.mark.parametrize(
    ("per_s", "outcome"), [(1 / 600, "fail"), (0, "pass"), (1 / 3_600, "pass"), (-1 / 60, "pass")]
)
def test_a_figure_fails_only_if_it_grows_beyond_its_bound(per_s: float, outcome: str) -> None:
    found = trend(*series(lambda t: 60 + t * per_s))
    assert found is not None
    assert found.low < 7_164 * per_s < found.high, "from the first sample to the last one"
    assert judge(found, 4.0) == outcome


def test_noise_that_hides_the_bound_is_unknown() -> None:
    found = trend(*series(lambda _: 60.0, count=30, noise=40.0))
    assert found is not None
    assert found.low <= 4.0 < found.high
    assert judge(found, 4.0) == "unknown"


def test_too_few_samples_are_unknown_even_if_they_are_flat() -> None:
    times = [float(each) for each in range(LEAST_SAMPLES - 1)]
    assert trend(times, [1.0] * len(times)) is None
    assert judge(None, 4.0) == "unknown"


def test_a_single_outlier_is_no_growth() -> None:
    times, values = series(lambda _: 60.0)
    values[-1] = 10_000.0
    assert judge(trend(times, values), 4.0) == "pass"


def test_a_step_in_the_middle_is_a_growth() -> None:
    """A connection pool that doubles and stays is not a leak, but it is not flat."""
    assert judge(trend(*series(lambda t: 60.0 if t < 3_600 else 90.0)), 4.0) == "fail"


def test_many_samples_are_thinned_and_judged_alike() -> None:
    found = trend(*series(lambda t: 60 + t / 600, count=3 * MOST_SAMPLES))
    assert found is not None
    assert judge(found, 4.0) == "fail"


@pytest.mark.parametrize(
    ("low", "high", "outcome"),
    [(4.1, 9.0, "fail"), (4.0, 9.0, "unknown"), (-1.0, 4.0, "pass"), (-1.0, 4.1, "unknown")],
)
def test_the_bound_itself_is_allowed(low: float, high: float, outcome: str) -> None:
    assert judge(Trend(growth=0.0, low=low, high=high), 4.0) == outcome
