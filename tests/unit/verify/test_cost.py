"""Level cost: criteria on figures that vary from round to round, and what is only shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.bench.overhead.figures import FIGURES, Values
from insync.errors import InputError
from insync.outcome import worst
from insync.verify.criteria import CostCriterion, parse_cost, parse_file, read
from insync.verify.levels.cost import LEVEL, judge, rows_of
from unit.verify.verifications import plan

LIMIT = parse_cost("bytes_per_fetch <= 1.1 * baseline + 5")


def figures(value: float) -> Values:
    return {spec.name: value for spec in FIGURES}


@given(st.lists(st.floats(0, 1e6), min_size=6, max_size=20), st.floats(-0.5, 0.5))
def test_the_same_change_in_every_round_is_judged_exactly(
    bases: list[float], change: float
) -> None:
    pairs = [(base, 1.1 * base + 5 + change) for base in bases]
    wanted = "pass" if change < -1e-6 else "fail" if change > 1e-6 else None
    assert wanted in (None, judge(LIMIT, pairs).outcome)


def test_a_figure_that_varies_across_the_limit_is_unknown() -> None:
    pairs = [(100.0, 100 + (-1) ** n * 50.0) for n in range(8)]
    found = judge(LIMIT, pairs)
    assert found.outcome == "unknown"
    assert found.why.endswith("from the limit by -65 to +35; more --repeats may tell")


def test_too_few_rounds_are_no_pass() -> None:
    assert judge(LIMIT, [(100.0, 0.0)] * 5).outcome == "unknown"


def test_what_is_too_much_fails_and_says_by_how_much() -> None:
    found = judge(LIMIT, [(100.0, 120.0)] * 6)
    assert found.outcome == "fail"
    assert "expected bytes_per_fetch <= 1.1 * baseline + 5" in found.why
    assert "+5 to +5" in found.why


def test_a_criterion_is_judged_for_its_claims_and_every_other_figure_is_shown() -> None:
    made = plan(Path("none"), LEVEL)
    rounds = [{"baseline": figures(100 + n), "candidate": figures(300 + n)} for n in range(6)]
    criteria = [
        CostCriterion(check="bytes_per_fetch <= 2 * baseline", claims=("off",)),
        CostCriterion(check="calls_per_fetch <= 2 * baseline", claims=("request",)),
    ]
    side = replace(
        made.candidate, info=made.candidate.info.model_copy(update={"claims": "request"})
    )
    rows = rows_of(rounds, side, made.baseline, criteria)
    assert len(rows) == len(FIGURES)
    assert [(row.of, row.outcome) for row in rows if row.outcome != "observed"] == [
        ("calls/fetch", "fail")
    ]
    assert worst(row.outcome for row in rows) == "fail"


@pytest.mark.parametrize("claims", ["off", "read", "request", "step-down", "stock", None])
def test_two_equal_builds_pass_insyncs_own_criteria(claims: str | None) -> None:
    made = plan(Path("none"), LEVEL)
    rounds = [{"baseline": figures(7 * n), "candidate": figures(7 * n)} for n in range(6)]
    side = replace(made.candidate, info=made.candidate.info.model_copy(update={"claims": claims}))
    rows = rows_of(rounds, side, made.baseline, read(None)[1].cost)
    assert worst(row.outcome for row in rows) == "pass"


def test_a_criterion_on_what_is_not_measured_is_refused() -> None:
    text = 'schema = 1\n[[cost]]\ncheck = "isr_shrinks == 0"\n'
    with pytest.raises(InputError, match="no figure 'isr_shrinks', expected"):
        parse_file(text, "my.toml")
