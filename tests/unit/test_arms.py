"""One table of arms: names and older names, and the page that lists them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from insync import arms
from insync.arms import ARMS, ArmSpec
from insync.errors import InputError
from insync.report.matrix.cells import MatrixCell
from insync.report.matrix.page import _arms
from insync.scenario.load import load, narrow, parse, source

OLD, NEW = "step-down-wild", "step-down-unthrottled"
TEXT = source("all-slow")


def test_every_name_means_one_arm() -> None:
    assert len(set(arms.accepted_names())) == len(arms.accepted_names())
    assert all(arms.present_name(spec.name) == spec.name for spec in ARMS.values())
    assert all(spec.expected_as in (None, *ARMS) for spec in ARMS.values())


def test_a_scenario_may_use_an_older_name_and_is_run_under_the_present_one() -> None:
    assert OLD not in TEXT
    old = TEXT.replace(f'"{NEW}"', f'"{OLD}"').replace(f"[expect.{NEW}]", f"[expect.{OLD}]")
    assert OLD in old
    assert parse(old, "mine") == load("all-slow")


def test_arms_may_be_chosen_by_an_older_name() -> None:
    assert narrow(load("all-slow"), arms=["stock", OLD]).arms == ("stock", NEW)


def test_two_names_of_one_arm_are_refused() -> None:
    twice = TEXT.replace(f'"{NEW}"]', f'"{NEW}", "{OLD}"]', 1)
    with pytest.raises(InputError, match=r"arms: .*, expected each only once"):
        parse(twice, "mine")
    assert f"[expect.{NEW}]" in TEXT
    both = f"\n[expect.{OLD}]\nlost = {{ max = 0 }}\n"
    with pytest.raises(
        InputError, match=rf"expect.{OLD}: '{OLD}', expected only one of the names of arm {NEW}"
    ):
        parse(TEXT + both, "mine")


def test_a_recording_under_an_older_name_is_judged_as_that_arm() -> None:
    known: list[Callable[[str], object]] = [
        arms.has_agent, arms.feature_on, arms.steps_down, arms.lag_factor, arms.settings,
    ]  # fmt: skip
    for find in known:
        assert find(OLD) == find(NEW)
    assert arms.expected_as(OLD) == (OLD, NEW)
    assert arms.expected_as(NEW) == (NEW,)


def test_an_unknown_arm_changes_nothing() -> None:
    assert (arms.has_agent("new"), arms.settings("new"), arms.lag_factor("new")) == (False, {}, 1)


def test_a_new_arm_is_known_to_scenarios_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = ArmSpec(name="toy", says="a `toy`", agent=False, configs={"num.io.threads": "1"})
    cell = MatrixCell.model_validate({
        "scenario": "s", "arm": "toy", "kafka": "4.3.1", "expected": {}, "differs": None,
        "unknown": None, "skipped": None, "report": None, "repeats": 1,
    })  # fmt: skip
    assert [each["says"] for each in _arms([cell])] == [""]
    monkeypatch.setitem(ARMS, "toy", toy)
    assert narrow(load("kip-501"), arms=["toy"]).arms == ("toy",)
    assert _arms([cell]) == [{"name": "toy", "says": "a toy"}]
    assert "| `toy` |" in arms.as_markdown()


def test_the_page_lists_the_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "arms.md").read_text(encoding="utf-8")
    _, _, table = page.partition("\n| arm |")
    assert "| arm |" + table == arms.as_markdown(), "python -m insync.arms writes it"
