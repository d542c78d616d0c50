"""Turns the agents' events of step-downs into lines, and reads the controller's agent."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from insync.brokers.cluster.node import AgentSpec
from insync.events.schema import ControllerLine
from insync.events.writer import encode
from insync.run.context import _of_controller
from insync.run.history import step_downs


def agent(folder: Path, **events: list[dict[str, Any]]) -> AgentSpec:
    for node, lines in events.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"broker-{node[1:]}.jsonl").write_text(text)
    return AgentSpec(jar=folder / "agent.jar", events_dir=folder, bridge_dir=folder)


def test_step_down_events_become_lines_and_each_read_broker_is_listed(tmp_path: Path) -> None:
    slow = {"topic": "t", "partition": 3, "leader_epoch": 4, "pending_ms": 2001, "score": 1.5}
    answer = {"outcome": "done", "way": "fence", "error": None, "asked_ms": 70}
    left = agent(
        tmp_path,
        n1=[
            {"v": 1, "t_ms": 5, "type": "pending", "marks_total": 1},
            {"v": 1, "t_ms": 6, "type": "step_down_withheld", **slow, "reason": "peers_slow"},
            {"v": 1, "t_ms": 7, "type": "step_down_answered", **slow, **answer, "successor": 2},
        ],
        n2=[],
    )
    arm_cluster = cast("Any", SimpleNamespace(agent=left, arm="step-down"))
    found = list(step_downs(arm_cluster))
    assert [(line.broker, line.type) for line in found] == [
        (1, "withheld"), (1, "answered"), (1, "read"), (2, "read"),
    ]  # fmt: skip
    assert (found[0].reason, found[0].outcome) == ("peers_slow", None)
    assert (found[1].way, found[1].successor, found[1].asked_ms) == ("fence", 2, 70)
    assert all(encode(line).startswith(b'{"v":1,"arm":"step-down"') for line in found)


def line_of(folder: Path) -> ControllerLine:
    left = agent(folder)
    cluster = SimpleNamespace(controllers=[SimpleNamespace(id=100, role="controller")])
    arm_cluster = SimpleNamespace(agent=left, cluster=cluster)
    context = SimpleNamespace(arm="read", arm_cluster=arm_cluster)
    return _of_controller(cast("Any", context), 1)


def test_a_controllers_agent_events_show_that_it_was_woven_and_failed(tmp_path: Path) -> None:
    assert (line_of(tmp_path).woven, line_of(tmp_path).errors) == (False, 0)
    agent(tmp_path, n100=[{"type": "agent_installed"}, {"type": "error", "where": "hook"}])
    assert (line_of(tmp_path).woven, line_of(tmp_path).errors) == (True, 1)
