"""Arms compared with the control arm: pairs, reproducible intervals, and no test without data."""

from insync.analysis.tables.gold.compare import compare

RUN = "made-up"


def over(*values: float) -> dict[tuple[str, int], float]:
    return {(RUN, repeat): value for repeat, value in enumerate(values)}


def test_differences_are_paired_by_run_and_repeat() -> None:
    arm = {(RUN, 0): 5.0, (RUN, 1): 7.0, ("another", 0): 100.0}
    found = compare(arm, {(RUN, 0): 1.0, (RUN, 1): 2.0, (RUN, 2): 9.0}, "x")
    assert (found.pairs, found.median_difference) == (2, 4.5)
    assert (found.low, found.high, found.p_value) == (None, None, None)


def test_an_interval_contains_the_difference_and_is_reproducible() -> None:
    control, arm = over(*range(20)), over(*(3.0 * n + 1 for n in range(20)))
    found = compare(arm, control, "x")
    assert found == compare(arm, control, "x")
    assert found.low is not None
    assert found.high is not None
    assert found.median_difference is not None
    assert found.low < found.median_difference < found.high
    assert found.p_value is not None
    assert found.p_value < 0.05


def test_repeats_that_all_differ_by_the_same_have_an_interval_of_no_width() -> None:
    found = compare(over(4.0, 5.0, 6.0), over(1.0, 2.0, 3.0), "x")
    assert (found.low, found.high) == (3.0, 3.0)
    assert found.p_value == 0.1  # the least that three against three can give


def test_equal_values_have_no_test() -> None:
    found = compare(over(0.0, 0.0, 0.0), over(0.0, 0.0, 0.0), "x")
    assert (found.median_difference, found.low, found.high) == (0.0, 0.0, 0.0)
    assert found.p_value is None


def test_without_a_pair_there_is_no_difference() -> None:
    assert compare(over(1.0), {("another", 0): 1.0}, "x").pairs == 0
