"""What an operator sees of the agent: Kafka's metrics over JMX, and lines in the broker's log."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import metrics_page
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.workload.prefill import burst
from insync_bridge import BridgeClient
from waiting import wait_for

pytestmark = pytest.mark.cluster

ENABLE = "follower.fetch.pending.reads.insync.enable"
SCOPE = "insync.scope"
T = "leader.fetch.process.time.max.ms"
LAG_MS = 2_000
PENDING = "kafka.server:type=PendingReads"
LOGGERS = ("Agent", "PendingReads", "StepDown", "Controller")
"""The last parts of the loggers' names, which these brokers' layout writes."""

Program = Callable[..., str]
StartCluster = Callable[..., LocalCluster]


def jmx(program: Program, pid: int, pattern: str, attribute: str) -> dict[str, str]:
    """Return the attribute of each metric of a pattern, by name."""
    printed = program("ReadMetrics", str(pid), pattern, attribute)
    return dict(line.rsplit("=", 1) for line in printed.splitlines())


def configs(dist: Distribution, servers: str, kind: str, broker: str, change: str) -> str:
    """Change a config by Kafka's own command, and return what it prints."""
    command = dist.command(
        ["-Xshare:auto", "-XX:TieredStopAtLevel=1"],
        "kafka.admin.ConfigCommand",
        *("--bootstrap-server", servers, "--alter", "--entity-type", kind),
        *("--entity-name", broker, "--add-config", change),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr


def lines(log: Path, logger: str) -> list[str]:
    """Return the lines that a logger wrote, without their time; the level is the first word."""
    text = log.read_text(encoding="utf-8")
    ends = f" ({logger})"
    return [line.partition(" ")[2] for line in text.splitlines() if line.endswith(ends)]


def test_without_the_agent_a_broker_has_none_of_the_metrics(
    start: StartCluster, program: Program
) -> None:
    cluster = start(brokers=1)
    pid = cluster.nodes[1].pid
    found = jmx(program, pid, "kafka.*:*", "Value").keys() & set(
        map(metrics_page.canonical, metrics_page.names())
    )
    assert not found
    log = cluster.nodes[1].log
    assert "[insync]" not in log.read_text(encoding="utf-8")
    assert [lines(log, logger) for logger in LOGGERS] == [[]] * len(LOGGERS)


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.2", "4.3.1"])
def test_a_hold_and_a_step_down_are_seen_in_metrics_and_logs(
    tmp_path: Path, agent: AgentSpec, java: Java, program: Program, kafka: str
) -> None:
    """The read for one follower stalls: it is held. Then T is set, and the leader steps down."""
    dist, agent = distribution(kafka, java), replace(agent, holds=True)
    settings = {ENABLE: "true", SCOPE: "request", "replica.lag.time.max.ms": str(LAG_MS)}
    with LocalCluster(dist, tmp_path / "nodes", agent=agent, settings=settings) as cluster:
        elsewhere = f"127.0.0.1:{cluster.nodes[2].port}"
        leader, controller = cluster.nodes[1], cluster.controller
        create_topic(cluster.bootstrap, "t", [[1, 2, 3]], {})
        (begun,) = lines(leader.log, "Agent")
        assert f"runs in Kafka {kafka}. KIP-501: solution 1 is on, scope request;" in begun
        assert "solution 2 is off." in begun

        with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
            broker.hold("leader-read", partition="t-0", max_ms=60_000)
            burst(cluster.bootstrap, "t", 0, 1, record_bytes=10)
            held = wait_for(lambda: lines(leader.log, "PendingReads"), lambda seen: len(seen) == 1)
            assert re.match(r"INFO \[Partition t-0\] Follower [23] stays in the ISR", held[0]), held
            assert "(site read)" in held[0]
            wait_for(
                lambda: jmx(program, leader.pid, f"{PENDING},name=HeldFollowers", "Value"),
                lambda seen: list(seen.values()) == ["1"],
            )
            granted = jmx(program, leader.pid, f"{PENDING},name=HoldsGrantedPerSec,*", "Count")
            assert sorted(granted.values()) == ["0", "0", "0", "1", "1"], granted

            changed = configs(dist, elsewhere, "broker-loggers", "1", "insync.PendingReads=WARN")
            assert "Completed updating" in changed, changed
            broker.release("leader-read")
            wait_for(lambda: broker.counters().held_now, lambda now: now == 0)

            configs(dist, elsewhere, "brokers", "1", f"{T}=500")
            wait_for(lambda: lines(leader.log, "Agent"), lambda seen: "T 500 ms" in seen[-1])
            broker.hold("leader-read", partition="t-0", max_ms=60_000)
            wait_for(lambda: partitions(elsewhere, "t")[0][0], lambda now: now != 1)
            broker.release("leader-read")
            assert broker.counters().errors == 0
        assert len(lines(leader.log, "PendingReads")) == 1, "INFO is off since the update"
        check_step_down(program, leader.log, leader.pid, controller.log, controller.pid)


def check_step_down(
    program: Program, log: Path, pid: int, controllers_log: Path, controller: int
) -> None:
    """Check the lines and the meters of the one step-down, at the broker and at the controller."""
    told = wait_for(lambda: lines(log, "StepDown"), lambda seen: len(seen) >= 2)
    assert "This leader steps down (reason slow_fetch, leader epoch 0, " in told[0], told
    assert "is done after" in told[1], told
    (line,) = lines(controllers_log, "Controller")
    assert "Leader 1 steps down in leader epoch 0 (reason slow_fetch): broker " in line
    mark = {"kafka.server": pid, "kafka.controller": controller}
    for domain, process in mark.items():
        name = f"{domain}:name=StepDownsPerSec,reason=slow_fetch,type=StepDown"
        wait_for(
            lambda name=name, process=process: jmx(program, process, name, "Count"),
            lambda seen, name=name: seen == {name: "1"},
        )
