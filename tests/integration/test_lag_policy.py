"""Lag by messages in real brokers: a burst drops healthy followers, and only if configured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios
from insync.arms import FEATURE, LAG_POLICY
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.errors import InsyncError
from insync.nodes import BROKERS

StartCluster = Callable[..., LocalCluster]

HOOK = "kafka.cluster.Partition.isFollowerOutOfSync"
LAG_MS = 2_000

pytestmark = pytest.mark.cluster


@pytest.mark.long
def test_by_messages_a_burst_drops_followers_that_are_back_at_once(
    every_arm: RecordedScenarios,
) -> None:
    found = events(every_arm, "burst", "messages-4")
    hooks = [event for event in found if event["type"] == "hook_added"]
    assert {(hook["why"], *hook["woven"]) for hook in hooks} == {(f"{LAG_POLICY}=messages:4", HOOK)}
    shrinks = [event for event in found if event["type"] == "isr_shrink"]
    assert shrinks
    for shrink in shrinks:
        assert shrink["reason"] == f"{LAG_POLICY}=messages:4"
        assert all(follower["lag_ms"] < LAG_MS for follower in shrink["followers"])
    assert any(event["type"] == "isr_expand" for event in found)
    assert policies(found) == {"messages:4"}
    assert every_arm.cells("burst")["messages-4"]["agent_errors"] == [0]


@pytest.mark.long
def test_by_time_a_burst_drops_no_follower(every_arm: RecordedScenarios) -> None:
    assert every_arm.cells("burst")["request"]["false_alarms"] == [0]


@pytest.mark.scenario("read-stall")
def test_by_time_no_hook_is_woven(scenarios: RecordedScenarios) -> None:
    found = events(scenarios, "read-stall", "off")
    assert "hook_added" not in [event["type"] for event in found]
    assert policies(found) == {"time"}


@pytest.mark.parametrize(
    "settings", [{LAG_POLICY: "messages:0"}, {LAG_POLICY: "messages:4", FEATURE: "true"}]
)
def test_an_invalid_policy_stops_the_start_with_kafkas_config_exception(
    start: StartCluster, agent: AgentSpec, settings: dict[str, str]
) -> None:
    with pytest.raises(InsyncError, match=r"ConfigException.*" + LAG_POLICY):
        start(brokers=1, agent=agent, settings=settings)


def events(scenarios: RecordedScenarios, name: str, arm: str) -> list[dict[str, Any]]:
    """Return what the agents of an arm's brokers wrote."""
    brokers = range(1, BROKERS + 1)
    out = scenarios.run(name)
    return [line for broker in brokers for line in lines_of(out, arm, f"broker-{broker}.jsonl")]


def policies(found: list[dict[str, Any]]) -> set[str]:
    return {event[LAG_POLICY] for event in found if event["type"] == "settings"}
