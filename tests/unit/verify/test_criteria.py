"""Criteria: how they are written, and when values fulfil them."""

from __future__ import annotations

import operator
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.errors import InputError
from insync.metrics import of_verdict
from insync.verify.criteria import Condition, Criterion, judge, parse, parse_file, read

HOLDS = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
    "<": operator.lt, ">": operator.gt,
}  # fmt: skip
NUMBERS = st.integers(0, 100_000).map(lambda value: value / 4)
CONDITIONS = st.builds(
    Condition,
    metric=st.sampled_from(["isr_shrinks", "max_ack_gap_ms", "acked"]),
    operator=st.sampled_from(sorted(HOLDS)),
    factor=st.integers(0, 40).map(lambda value: value / 4),
    plus=NUMBERS,
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6)


def made(check: str, **keys: Any) -> Criterion:
    return Criterion(check=check, **keys)


@given(condition=CONDITIONS)
def test_what_is_written_is_read_as_the_same(condition: Condition) -> None:
    assert parse(str(condition)) == condition


@given(condition=CONDITIONS, pairs=PAIRS, over=st.sampled_from(["every", "median"]))
def test_a_criterion_passes_if_and_only_if_its_values_fulfil_it(
    condition: Condition, pairs: list[tuple[float, float]], over: str
) -> None:
    own, base = [own for own, _ in pairs], [base for _, base in pairs]
    judged = judge(
        made(str(condition), over=over), {condition.metric: base}, {condition.metric: own}
    )
    if over == "median":
        pairs = [(median(own), median(base))]
    holds = HOLDS[condition.operator]
    expected = all(holds(x, condition.factor * y + condition.plus) for x, y in pairs)
    assert judged.outcome == ("pass" if expected else "fail")
    assert bool(judged.why) != expected


@given(pairs=PAIRS, place=st.integers(0, 5), relative=st.booleans())
def test_a_missing_value_is_never_a_pass(
    pairs: list[tuple[float, float]], place: int, *, relative: bool
) -> None:
    own: list[float | None] = [own for own, _ in pairs]
    own[place % len(own)] = None
    check = "acked >= 0 * baseline".replace("0 *", "0.1 *") if relative else "acked >= 0"
    base = {"acked": [base for _, base in pairs]}
    assert judge(made(check), base, {"acked": own}).outcome == "unknown"
    assert judge(made(check), base, {}).outcome == "unknown"


@given(pairs=PAIRS)
def test_equal_values_fulfil_every_relative_bound_that_allows_as_much(
    pairs: list[tuple[float, float]],
) -> None:
    same = {"max_ack_gap_ms": [value for value, _ in pairs]}
    for check in ("max_ack_gap_ms <= baseline", "max_ack_gap_ms <= 1.5 * baseline + 2000"):
        assert judge(made(check), same, same).outcome == "pass"


def test_without_the_problem_at_the_baseline_nothing_is_proved() -> None:
    criterion = made("isr_shrinks == 0", baseline="isr_shrinks > 0")
    found = judge(criterion, {"isr_shrinks": [2, 0]}, {"isr_shrinks": [0, 0]})
    assert (found.outcome, "does not show the problem" in found.why) == ("unknown", True)
    assert judge(criterion, {"isr_shrinks": [2, 1]}, {"isr_shrinks": [0, 0]}).outcome == "pass"
    found = judge(criterion, {"isr_shrinks": [2, 1]}, {"isr_shrinks": [0, 3]})
    assert found.why == "expected isr_shrinks == 0, found 3 in 1 of 2 repeats"


def test_times_are_scaled_and_counts_and_margins_are_not() -> None:
    values = {"max_ack_gap_ms": [900.0], "isr_shrinks": [1.0]}
    assert judge(made("max_ack_gap_ms < 1000"), {}, values, 0.5).outcome == "fail"
    assert judge(made("isr_shrinks <= 1"), {}, values, 0.5).outcome == "pass"
    beside = {"max_ack_gap_ms": [0.0]}
    assert judge(made("max_ack_gap_ms < baseline + 1000"), beside, values, 0.5).outcome == "pass"


def test_where_a_criterion_applies() -> None:
    criterion = made("isr_shrinks == 0", scenarios=["read-stall"], claims=["request"])
    assert criterion.applies("read-stall", "request")
    assert criterion.applies("read-stall", "plugin"), "an older name of the same brokers"
    assert not criterion.applies("send-stall", "request")
    assert not criterion.applies("read-stall", "read")
    assert not criterion.applies("read-stall", None)
    assert made("lost == 0").applies("anything", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('check = "isr_shrinks"', "expected METRIC OP NUMBER"),
        ('check = "shrinks == 0"', "no metric 'shrinks'"),
        ('check = "lost == 0 * baseline"', "expected a factor above 0"),
        ('check = "lost == 0"\nbaseline = "lost < baseline"', "expected a number"),
        ('check = "lost == 0"\nclaims = ["nothing"]', "nothing: no such arm"),
        ('check = "lost == 0"\nover = "some"', "criterion.0.over"),
        ('check = "lost == 0"\nscenario = "control"', "criterion.0.scenario"),
        ('baseline = "lost == 0"', "criterion.0.check"),
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


def test_insyncs_own_criteria_name_scenarios_and_metrics_that_exist() -> None:
    from insync.scenario.groups import builtin_files

    text, whole = read(None)
    criteria = whole.faults
    assert text.startswith("# The criteria of `insync verify`")
    assert {name for each in criteria for name in each.scenarios or ()} <= set(builtin_files())
    assert {parse(each.check).metric for each in criteria} <= set(of_verdict())
    # Two equal builds: none of those for every candidate may ask for less than the baseline has.
    for each in criteria:
        if each.claims is None:
            metric = parse(each.check).metric
            assert judge(each, {metric: [7.0]}, {metric: [7.0]}).outcome == "pass"
