"""An idle cluster whose brokers let their fetches wait for different times keeps its leaders.

INSYNC_IDLE_MINUTES is how long nothing is produced, 3 if it is not set.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from event_lines import read_lines
from insync.arms import READ, REQUEST
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.kafka.distribution import Distribution
from insync_bridge import BridgeClient
from waiting import wait_for

pytestmark = pytest.mark.cluster

IDLE_S = 60 * float(os.environ.get("INSYNC_IDLE_MINUTES", "3"))
WAITS_MS = {1: "500", 2: "2000", 3: "5000"}
"""replica.fetch.wait.max.ms of each broker; T is shorter than two of them."""
T_MS = 1_500
BROKERS = tuple(WAITS_MS)
ASSIGNMENT = [[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, 2], [2, 1, 3], [3, 2, 1]]
SIGNS = {"leader_slow", "peer_slow"}

StartCluster = Callable[..., LocalCluster]


def leader_changes(lines: Iterable[dict[str, Any]], topic: str) -> int:
    """Return how often a partition of the topic got another leader or leader epoch."""
    states: dict[int, list[tuple[int, int]]] = {}
    for line in lines:
        if line["topic"] == topic:
            states.setdefault(line["partition"], []).append((line["leader"], line["leader_epoch"]))
    return sum(before != after for each in states.values() for before, after in pairwise(each))


def signs_of_slowness(agent: AgentSpec, topic: str = "") -> Counter[str]:
    """Count the events by which a broker calls itself or a peer slow, or steps down."""
    types: Counter[str] = Counter()
    for number in BROKERS:
        for line in read_lines(agent.events_file(number)):
            name = line["type"]
            stepping = name.startswith("step_down") and name != "step_down_settings"
            if (stepping or name in SIGNS) and line.get("topic") in (topic or line.get("topic"),):
                types[name] += 1
    return types


@pytest.mark.long
def test_an_idle_cluster_with_mixed_fetch_waits_changes_no_leader(
    start: StartCluster, dist: Distribution, agent: AgentSpec
) -> None:
    """Broker 1 leads in scope "read", the others in scope "request"; at last a read stalls at 1.

    The step-down for the stalled read shows that idle fetches were watched all the time.
    """
    settings = {
        **REQUEST,
        "replica.lag.time.max.ms": "10000",
        "leader.fetch.process.time.max.ms": str(T_MS),
    }
    waits = {
        number: NodeExtras(
            settings={**(READ if number == 1 else {}), "replica.fetch.wait.max.ms": wait}
        )
        for number, wait in WAITS_MS.items()
    }
    cluster = start(agent=replace(agent, holds=True), settings=settings, extras=waits)
    create_topic(cluster.bootstrap, "idle", ASSIGNMENT, {})
    create_topic(cluster.bootstrap, "stalled", [[1, 2]], {})
    created = {number: (each[0], [1, 2, 3]) for number, each in enumerate(ASSIGNMENT)}
    own = f"127.0.0.1:{cluster.nodes[2].port}"
    began = time.monotonic()
    while time.monotonic() < began + IDLE_S:
        time.sleep(min(5.0, IDLE_S))
        assert all(node.process.poll() is None for node in cluster.nodes.values())
    idle_s = time.monotonic() - began
    fetches = {}
    for number in BROKERS:
        with BridgeClient.connect(agent.bridge_dir / f"bridge-{number}.json") as broker:
            counters = broker.counters()
            assert counters.errors == 0, counters.last_error
            assert counters.step_downs.asked == 0
            fetches[number] = counters.marks_total
    assert min(fetches.values()) > idle_s * 1_000 / max(map(int, WAITS_MS.values()))
    changes = leader_changes(isr_events(cluster, dist, "idle"), "idle")
    seen = signs_of_slowness(agent)
    print(f"{idle_s / 60:.1f} min idle: {changes} leader changes, events {dict(seen)},"
          f" marks of fetches by broker {fetches}")  # fmt: skip
    assert changes == 0
    assert partitions(own, "idle") == created
    assert not seen

    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as leader:
        leader.hold("leader-read", partition="stalled-0", max_ms=20_000)
        wait_for(lambda: partitions(own, "stalled")[0][0], lambda led_by: led_by == 2)
        leader.release("leader-read")
        assert leader.counters().errors == 0
    assert leader_changes(isr_events(cluster, dist, "idle"), "stalled") >= 1
    assert signs_of_slowness(agent, "stalled")["step_down"] == 1
