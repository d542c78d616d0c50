"""Criteria: how they are written, and when values fulfil them."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.errors import InputError
from insync.outcome import Outcome
from insync.verify.criteria import Criterion, Judged, judge, parse_file, read

NUMBERS = st.integers(0, 100_000).map(lambda value: value / 4)
METRIC = "acked"
BOUNDS = st.one_of(
    st.fixed_dictionaries({"min": NUMBERS}),
    st.fixed_dictionaries({"max": NUMBERS}),
    st.fixed_dictionaries({"min": NUMBERS, "max": NUMBERS}),
)
FACTORS = st.integers(1, 40).map(lambda value: value / 4)
TIMES = st.sampled_from(["at_most", "at_least", "below"]).flatmap(
    lambda key: st.fixed_dictionaries({key: FACTORS, "plus": NUMBERS})
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6)


def made(metric: str, **keys: Any) -> Criterion:
    return Criterion.model_validate({"metric": metric, **keys})


def judged(criterion: Criterion, own: list[Any], base: list[Any], scale: float = 1.0) -> Judged:
    return judge(criterion, {criterion.metric: base}, {criterion.metric: own}, scale)


def holds(keys: dict[str, float], own: float, base: float) -> bool:
    """Say what the page on criteria says, without the product's code."""
    if "at_most" in keys:
        return own <= keys["at_most"] * base + keys["plus"]
    if "at_least" in keys:
        return own >= keys["at_least"] * base + keys["plus"]
    if "below" in keys:
        return own < keys["below"] * base + keys["plus"]
    return keys.get("min", own) <= own <= keys.get("max", own)


@given(keys=st.one_of(BOUNDS, TIMES), pairs=PAIRS, over=st.sampled_from(["every", "median"]))
def test_a_criterion_passes_if_and_only_if_its_values_fulfil_it(
    keys: dict[str, float], pairs: list[tuple[float, float]], over: str
) -> None:
    own, base = [own for own, _ in pairs], [base for _, base in pairs]
    outcome, why = judged(made(METRIC, **keys, over=over), own, base)
    if over == "median":
        pairs = [(median(own), median(base))]
    expected = all(holds(keys, x, y) for x, y in pairs)
    assert outcome == ("pass" if expected else "fail")
    assert bool(why) != expected


@given(pairs=PAIRS, place=st.integers(0, 5), keys=st.one_of(BOUNDS, TIMES))
def test_a_missing_value_is_never_a_pass(
    pairs: list[tuple[float, float]], place: int, keys: dict[str, float]
) -> None:
    own: list[float | None] = [own for own, _ in pairs]
    base: list[float | None] = [base for _, base in pairs]
    own[place % len(own)] = None
    criterion = made(METRIC, **keys)
    assert judged(criterion, own, base)[0] == "unknown"
    assert judge(criterion, {METRIC: base}, {})[0] == "unknown"
    if criterion.factor:
        whole = [own for own, _ in pairs]
        base[place % len(base)] = None
        assert judged(criterion, whole, base)[0] == "unknown"
        assert judged(criterion, whole, [])[0] == "unknown"


@given(pairs=PAIRS)
def test_equal_values_fulfil_every_relative_bound_that_allows_as_much(
    pairs: list[tuple[float, float]],
) -> None:
    same = [value for value, _ in pairs]
    for keys in ({"at_most": 1}, {"at_most": 1.5, "plus": 2000}, {"at_least": 1}):
        assert judged(made("max_ack_gap_ms", **keys), same, same)[0] == "pass"


def test_without_the_problem_at_the_baseline_nothing_is_proved() -> None:
    criterion = made("isr_shrinks", max=0, baseline={"min": 1})
    outcome, why = judged(criterion, [0, 0], [2, 0])
    assert (outcome, "does not show the problem" in why) == ("unknown", True)
    assert judged(criterion, [0, 0], [2, None])[0] == "unknown"
    assert judged(criterion, [0, 0], [2, 1])[0] == "pass"
    _, why = judged(criterion, [0, 3], [2, 1])
    assert why == "expected isr_shrinks at most 0, found 3 in 1 of 2 repeats"


def test_times_are_scaled_and_counts_and_margins_are_not() -> None:
    assert judged(made("max_ack_gap_ms", max=1000), [900.0], [], 0.5)[0] == "fail"
    assert judged(made("isr_shrinks", max=1), [1.0], [], 0.5)[0] == "pass"
    beside = made("max_ack_gap_ms", below=1, plus=1000)
    assert judged(beside, [900.0], [0.0], 0.5)[0] == "pass"


def test_where_a_criterion_applies() -> None:
    criterion = made("isr_shrinks", max=0, scenarios=["read-stall"], claims=["request"])
    assert criterion.applies("read-stall", "request")
    assert criterion.applies("read-stall", "plugin"), "an older name of the same brokers"
    assert not criterion.applies("send-stall", "request")
    assert not criterion.applies("read-stall", "read")
    assert not criterion.applies("read-stall", None)
    assert made("lost", max=0).applies("anything", None)


def test_a_criterion_is_shown_in_the_words_of_an_expectation() -> None:
    assert str(made("isr_shrinks", max=0)) == "isr_shrinks at most 0"
    assert str(made("offline_ms", at_most=1.5, plus=2000)) == (
        "offline_ms at most 1.5 times the baseline's + 2000"
    )
    assert str(made("offline_ms", below=1)) == "offline_ms less than the baseline's"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('metric = "lost"', "expected min and max, or one of at_most"),
        ('metric = "lost"\nmax = 0\nbelow = 1', "expected min and max, or one of at_most"),
        ('metric = "lost"\nat_most = 1\nbelow = 1', "expected min and max, or one of at_most"),
        ('metric = "lost"\nmax = 0\nplus = 1', "expected plus with at_most"),
        ('metric = "shrinks"\nmax = 0', "no metric 'shrinks'"),
        ('metric = "lost"\nat_most = 0', "criterion.0.at_most"),
        ('metric = "lost"\nmax = 0\nbaseline = { least = 1 }', "expected min, max, or both"),
        ('metric = "lost"\nmax = 0\nclaims = ["nothing"]', "nothing: no such arm"),
        ('metric = "lost"\nmax = 0\nover = "some"', "criterion.0.over"),
        ('metric = "lost"\nmax = 0\nscenario = "control"', "criterion.0.scenario"),
        ("max = 0", "criterion.0.metric"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text: str, expected: str) -> None:
    with pytest.raises(InputError, match=r"my\.toml: ") as refused:
        parse_file(f"schema = 1\n[[criterion]]\n{text}\n", "my.toml")
    assert expected in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize("text", ["", "schema = 2", "= 1"])
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "my.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"--criteria .*my\.toml: "):
        read(file)
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.toml")


def test_insyncs_own_criteria_name_scenarios_that_exist() -> None:
    from insync.scenario.groups import builtin_files

    text, whole = read(None)
    criteria = whole.criterion
    assert text.startswith("# The criteria of `insync verify`")
    assert {name for each in criteria for name in each.scenarios or ()} <= set(builtin_files())
    # Two equal builds: none of those for every candidate may ask for less than the baseline has.
    for each in criteria:
        if each.claims is None:
            assert judged(each, [7.0], [7.0])[0] == Outcome.PASS
