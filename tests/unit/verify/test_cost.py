from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.engine.campaign import Place, run_within
from insync.engines import AnalysisOptions
from insync.outcome import worst
from insync.overhead import campaign
from insync.overhead.figures import FIGURES
from insync.progress import Progress
from insync.verify.criteria import Criterion, read
from insync.verify.levels import cost
from insync.verify.levels.cost import checks_of, judge
from unit.overhead.test_overhead import all_figures as figures
from unit.verify.verifications import verification

LIMIT = Criterion(metric="bytes_per_fetch", at_most=1.1, margin=5)


@given(st.lists(st.floats(0, 1e6), min_size=6, max_size=20), st.floats(-0.5, 0.5))
def test_one_change_in_every_round_is_judged_exactly(bases: list[float], change: float) -> None:
    pairs = [(base, 1.1 * base + 5 + change) for base in bases]
    wanted = "pass" if change < -1e-6 else "fail" if change > 1e-6 else None
    assert wanted in (None, judge(LIMIT, pairs)[0])


def test_a_figure_that_varies_across_the_limit_is_unknown() -> None:
    pairs = [(100.0, 100 + (-1) ** n * 50.0) for n in range(8)]
    outcome, why = judge(LIMIT, pairs)
    assert outcome == "unknown"
    assert why.endswith("from the limit by -65 to +35; more --repeats may tell")


def test_too_few_rounds_are_no_pass() -> None:
    assert judge(LIMIT, [(100.0, 0.0)] * 5)[0] == "unknown"


def test_what_is_too_much_fails_and_says_by_how_much() -> None:
    outcome, why = judge(LIMIT, [(100.0, 120.0)] * 6)
    assert (outcome, why) == ("fail", "values differ from the limit by +5 to +5")


def test_a_criterion_is_judged_and_every_other_figure_is_shown() -> None:
    rounds = [{"baseline": figures(100 + n), "candidate": figures(300 + n)} for n in range(6)]
    checks = list(checks_of(rounds, [Criterion(metric="calls_per_fetch", at_most=2)]))
    assert len(checks) == len(FIGURES)
    assert [(each.of, each.outcome) for each in checks if each.outcome != "observed"] == [
        ("calls/fetch", "fail")
    ]


@pytest.mark.parametrize("claims", ["off", "read", "request", "step-down", "stock", None])
def test_two_equal_builds_pass_insyncs_own_criteria(claims: str | None) -> None:
    rounds = [{"baseline": figures(7 * n), "candidate": figures(7 * n)} for n in range(6)]
    criteria = [each for each in read(None)[1] if each.is_of_cost and each.is_claimed(claims)]
    assert criteria
    assert worst(each.outcome for each in checks_of(rounds, criteria)) == "pass"


def test_both_sides_are_measured_in_as_many_rounds_as_an_interval_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = Mock(side_effect=lambda *_: figures(7))
    monkeypatch.setattr(campaign, "measure", measure)
    monkeypatch.setattr(campaign.Overhead, "ready", lambda own, _: setattr(own, "_tool", None))
    place = Place(folder=tmp_path, analysis=AnalysisOptions(), progress=Progress())
    found = run_within(cost.CostLevel(verification(), Progress()), place, "cost")
    assert Counter(call.args[0].name for call in measure.call_args_list) == {
        "baseline": 6, "candidate": 6,
    }  # fmt: skip
    assert {each.outcome for each in found.children} == {"observed"}
    assert found.links == {"the measurements": "cost/cells.jsonl"}
