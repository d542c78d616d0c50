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
