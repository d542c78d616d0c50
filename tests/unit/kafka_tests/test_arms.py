"""Which signs an arm must leave, on made-up events and output."""

import json
from pathlib import Path
from typing import Any

import pytest

from insync.arms import FEATURE, ISR, LOG_START, SCOPE
from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.kafka_tests import arms

TIME = "leader.fetch.process.time.max.ms"
ON: dict[str, dict[str, Any]] = {
    "off": {FEATURE: False, SCOPE: "read"},
    "read": {FEATURE: True, SCOPE: "read"},
    "request": {FEATURE: True, SCOPE: "request"},
    "step-down": {FEATURE: True, SCOPE: "request", TIME: 500, ISR: "leave"},
    "log-start": {FEATURE: False, LOG_START: "both"},
}


def found(
    arm: str, folder: Path, *settings: dict[str, Any], marks: int, errors: int = 0,
    brokers: bool = True, output: str = "",
) -> list[str]:  # fmt: skip
    events, text = folder / "events.jsonl", folder / "output.txt"
    events.write_text("".join(json.dumps({"type": "settings", **each}) + "\n" for each in settings))
    text.write_text(output)
    did = [{"marks_total": marks, "errors": errors}]
    return arms.problems(arm, [events], [text], did, brokers=brokers)


@pytest.mark.parametrize("arm", arms.WITH_AGENT)
def test_an_arm_that_is_what_it_is_called_has_no_problem(arm: str, tmp_path: Path) -> None:
    marks = 7 if ON[arm][FEATURE] else 0
    assert found(arm, tmp_path, ON[arm], marks=marks) == []
    assert found(arm, tmp_path, marks=0, brokers=False) == []


@pytest.mark.parametrize("arm", arms.WITH_AGENT)
def test_marks_are_made_where_they_must_be_and_nowhere_else(arm: str, tmp_path: Path) -> None:
    marks = 0 if ON[arm][FEATURE] else 7
    (problem,) = found(arm, tmp_path, ON[arm], marks=marks)
    assert problem.startswith(f"marks made: {marks}, expected")


@pytest.mark.parametrize("arm", arms.WITH_AGENT)
def test_a_broker_with_other_settings_is_named(arm: str, tmp_path: Path) -> None:
    marks = 7 if ON[arm][FEATURE] else 0
    other = {**ON[arm], FEATURE: not ON[arm][FEATURE]}
    (problem,) = found(arm, tmp_path, ON[arm], other, marks=marks)
    assert problem == f"{FEATURE}={other[FEATURE]} in a broker, expected {ON[arm][FEATURE]}"


def test_a_broker_that_steps_down_tells_so(tmp_path: Path) -> None:
    assert found("step-down", tmp_path, ON["request"], marks=7) == [
        f"no broker told its {ISR}, {TIME}"
    ]


def test_an_error_of_the_agents_own_code_is_a_problem(tmp_path: Path) -> None:
    assert found("off", tmp_path, ON["off"], marks=0, errors=2) == ["errors in the agent's code: 2"]
    line = "[insync] error in x: y"
    assert found("off", tmp_path, ON["off"], marks=0, errors=1, output=f"a\n{line}\n") == [line]


def test_an_arm_without_its_agent_is_a_problem() -> None:
    assert arms.problems("off", [], [], [None], brokers=False) == ["no agent in the JVM of a class"]


def test_the_agents_options_say_what_the_arm_changes(tmp_path: Path) -> None:
    flag = arms.flag("step-down", tmp_path, unknown_methods=True)
    assert flag.startswith(
        f"-javaagent:{AGENT_JAR}=lab={LAB_JAR},events={tmp_path}/events.jsonl,"
        f"default.{FEATURE}=true,default.{SCOPE}=request,default.{ISR}=leave,"
        f"default.{TIME}=500,"
    )
    assert flag.endswith(",unknown-methods=allow")
