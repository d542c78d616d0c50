import re

import pytest

from insync import arms
from insync.arms import ARMS, ArmSpec
from insync.errors import InputError
from insync.report.matrix.page import _arms
from insync.scenario.load import load, narrow, parse, source
from unit.verdict.made_up import cell

NAME = "step-down-unthrottled"
TEXT = source("all-slow")


def test_an_arm_stands_only_for_one_that_there_is() -> None:
    assert all(spec.expected_as in (None, *ARMS) for spec in ARMS.values())


def test_an_arm_is_named_once() -> None:
    twice = TEXT.replace(f'"{NAME}"]', f'"{NAME}", "{NAME}"]', 1)
    with pytest.raises(InputError, match=r"arms: .*, expected each only once"):
        parse(twice, "mine")


def test_an_unknown_arm_changes_nothing() -> None:
    assert (arms.has_agent("new"), arms.settings("new"), arms.lag_factor("new")) == (False, {}, 1)


def test_a_new_arm_is_known_to_scenarios_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    toy = ArmSpec(name="toy", says="a `toy`", agent=False, configs={"num.io.threads": "1"})
    of_toy = cell(arm="toy")
    assert [each["says"] for each in _arms([of_toy])] == [""]
    monkeypatch.setitem(ARMS, "toy", toy)
    assert narrow(load("kip-501"), arms=["toy"]).arms == ("toy",)
    assert _arms([of_toy]) == [{"name": "toy", "says": "a toy"}]
    assert "| `toy` |" in arms.as_markdown()


def test_the_table_lists_every_arm() -> None:
    assert re.findall(r"^\| `(.*?)` \|", arms.as_markdown(), re.MULTILINE) == list(ARMS)


def test_what_the_analysis_asks_of_an_arm_follows_from_its_row() -> None:
    fencing, rejected, stepping = "patched-fencing", "relinquish-only", NAME
    assert [arms.steps_down(arm) for arm in (fencing, rejected, stepping, "request")] == [
        True, True, True, False,
    ]  # fmt: skip
    assert not arms.reports_step_downs(fencing), "only the agent reports them"
    assert arms.reports_step_downs(rejected)
    assert [arms.feature_on(arm) for arm in ("patched", "read", "off")] == [True, True, False]
    assert [arms.lag_policy(arm) for arm in ("messages-4", "off")] == ["messages:4", "time"]
    assert {arms.lag_factor(arm) for arm in ARMS} == {1, 6}


def test_arms_with_the_same_brokers_stand_for_each_other() -> None:
    assert arms.expected_as("read") == ("read", "patched")
    assert arms.expected_as("patched") == ("patched", "read")
    assert arms.expected_as("patched-fencing") == ("patched-fencing",)
