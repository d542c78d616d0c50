"""Lag by messages in real brokers: a burst drops healthy followers, and only if configured."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import Producer

from insync.arms import FEATURE, LAG_POLICY
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.errors import InsyncError
from insync_bridge import BridgeClient

StartCluster = Callable[..., LocalCluster]

HOOK = "kafka.cluster.Partition.isFollowerOutOfSync"
LAG = {"replica.lag.time.max.ms": "2000"}  # isr-expiration looks every second
BURST = 100
WITHIN_S = 60.0
QUIET_S = 5.0

pytestmark = pytest.mark.cluster


def test_by_messages_a_burst_drops_followers_that_are_back_at_once(
    start: StartCluster, agent: AgentSpec
) -> None:
    cluster = start(brokers=3, agent=agent, settings={**LAG, LAG_POLICY: "messages:4"})
    create_topic(cluster.bootstrap, "bursts", [[1, 2, 3]], {"min.insync.replicas": "1"})
    burst(cluster.bootstrap, WITHIN_S, lambda: "isr_expand" in types(agent))
    (hook,) = [event for event in events(agent) if event["type"] == "hook_added"]
    assert hook["why"] == f"{LAG_POLICY}=messages:4"
    assert hook["woven"] == [HOOK]
    shrink = next(event for event in events(agent) if event["type"] == "isr_shrink")
    assert shrink["reason"] == f"{LAG_POLICY}=messages:4"
    assert all(follower["lag_ms"] < 2_000 for follower in shrink["followers"])
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        assert broker.settings()[LAG_POLICY] == "messages:4"
        counters = broker.counters()
    assert counters.errors == 0, counters.last_error


def test_by_time_no_follower_is_dropped_and_no_hook_is_woven(
    start: StartCluster, agent: AgentSpec
) -> None:
    cluster = start(brokers=3, agent=agent, settings=LAG)
    create_topic(cluster.bootstrap, "bursts", [[1, 2, 3]], {"min.insync.replicas": "1"})
    burst(cluster.bootstrap, 1.0, lambda: False)  # a late first fetch is not what is asked here
    before = types(agent).count("isr_shrink")
    burst(cluster.bootstrap, QUIET_S, lambda: False)
    assert types(agent).count("isr_shrink") == before
    assert "hook_added" not in types(agent)
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        assert broker.settings()[LAG_POLICY] == "time"


@pytest.mark.parametrize(
    "settings", [{LAG_POLICY: "messages:0"}, {LAG_POLICY: "messages:4", FEATURE: "true"}]
)
def test_an_invalid_policy_stops_the_start_with_kafkas_config_exception(
    start: StartCluster, agent: AgentSpec, settings: dict[str, str]
) -> None:
    with pytest.raises(InsyncError, match=r"ConfigException.*" + LAG_POLICY):
        start(brokers=1, agent=agent, settings=settings)


def burst(bootstrap: str, seconds: float, enough: Callable[[], bool]) -> None:
    """Produce bursts, each as one batch, until `enough`; fails if that does not come."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "acks": "1", "linger.ms": 10, "log_level": 0}
    )
    end = time.monotonic() + seconds
    while time.monotonic() < end and not enough():
        for number in range(BURST):
            producer.produce("bursts", b"%d" % number, partition=0)
        assert producer.flush(10) == 0
    assert enough() or seconds != WITHIN_S, f"no false alarm within {seconds} s"


def types(agent: AgentSpec) -> list[str]:
    return [event["type"] for event in events(agent)]


def events(agent: AgentSpec) -> list[dict[str, Any]]:
    """Return the events of the leader's agent so far, without a line that is half written."""
    text = agent.events_file(1).read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
