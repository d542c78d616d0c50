"""Config updates of running brokers, as `kafka-configs --alter` sends them."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import (
    AdminClient,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

from event_lines import read_lines
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync_bridge import BridgeClient
from waiting import wait_for

pytestmark = pytest.mark.cluster

ENABLE = "follower.fetch.pending.reads.insync.enable"
SCOPE = "insync.scope"
T = "leader.fetch.process.time.max.ms"
COOLDOWN = "insync.relinquish.cooldown.ms"
LAG_MS = 2_000

StartCluster = Callable[..., LocalCluster]


def alter(
    dist: Distribution,
    servers: str,
    broker: int | None,
    changes: Mapping[str, str | None],
    by: str = "server",
) -> str:
    """Set configs of a broker, or delete those whose value is None, by Kafka's own command.

    Returns what the command prints. `broker` is None for the cluster's default; `by` is "server" or
    "controller".
    """
    added = ",".join(f"{name}={value}" for name, value in changes.items() if value is not None)
    deleted = ",".join(name for name, value in changes.items() if value is None)
    command = dist.command(
        ["-Xshare:auto", "-XX:TieredStopAtLevel=1"],
        "kafka.admin.ConfigCommand",
        *(f"--bootstrap-{by}", servers, "--alter", "--entity-type", "brokers"),
        *(["--entity-default"] if broker is None else ["--entity-name", str(broker)]),
        *(["--add-config", added] if added else []),
        *(["--delete-config", deleted] if deleted else []),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.stdout + done.stderr


def described(bootstrap: str, broker: int) -> dict[str, ConfigEntry]:
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    admin = AdminClient({"bootstrap.servers": bootstrap})
    (answer,) = admin.describe_configs([resource]).values()
    entries: dict[str, ConfigEntry] = answer.result(timeout=20)
    return entries


def updates(agent: AgentSpec, broker: int) -> list[dict[str, object]]:
    lines = read_lines(agent.events_file(broker))
    return [line for line in lines if line["type"] == "settings_updated"]


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.8.1", "3.9.2", "4.1.2", "4.3.1"])
def test_the_features_are_switched_while_a_read_stalls(
    tmp_path: Path, agent: AgentSpec, java: Java, kafka: str
) -> None:
    """Off, followers leave the ISR. In both scopes they stay, also while the scope is switched."""
    settings = {"replica.lag.time.max.ms": str(LAG_MS)}
    dist, agent = distribution(kafka, java), replace(agent, holds=True)
    with LocalCluster(dist, tmp_path / "nodes", agent=agent, settings=settings) as cluster:
        bootstrap = f"127.0.0.1:{cluster.nodes[2].port}"
        create_topic(cluster.bootstrap, "t", [[1, 2, 3]], {})

        def isr() -> list[int]:
            return partitions(bootstrap, "t")[0][1]

        entry = described(bootstrap, 1)[ENABLE]
        assert (entry.value, entry.is_read_only) == ("false", False)
        with (
            BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as leader,
            _writing(cluster.bootstrap, "t"),
        ):
            leader.hold("leader-read", partition="t-0", max_ms=60_000)
            wait_for(isr, lambda members: len(members) < 3)
            leader.release("leader-read")
            wait_for(isr, lambda members: len(members) == 3)

            alter(dist, bootstrap, None, {ENABLE: "true"})
            wait_for(lambda: updates(agent, 1), lambda lines: len(lines) == 1)
            for scope in ("read", "request"):
                alter(dist, bootstrap, 1, {SCOPE: scope})
                wait_for(
                    lambda: described(bootstrap, 1)[SCOPE].value,
                    lambda now, want=scope: now == want,
                )
                leader.hold("leader-read", partition="t-0", max_ms=60_000)
                _stays(isr, 2.5)
                alter(dist, bootstrap, 1, {SCOPE: "request" if scope == "read" else "read"})
                _stays(isr, 2.5)
                leader.release("leader-read")
                _stays(isr, 1.0)
            counters = leader.counters()
            assert counters.errors == 0
            assert counters.holds_granted >= 2

            alter(dist, bootstrap, None, {ENABLE: None})
            wait_for(
                lambda: _value_and_source(described(bootstrap, 1)[ENABLE]),
                lambda seen: seen == ("false", ConfigSource.DEFAULT_CONFIG),
            )
            wait_for(lambda: leader.counters().pending_now, lambda pending: pending == 0)
            leader.hold("leader-read", partition="t-0", max_ms=60_000)
            wait_for(isr, lambda members: len(members) < 3)
            leader.release("leader-read")
            wait_for(isr, lambda members: len(members) == 3)
            assert leader.counters().errors == 0


def _value_and_source(entry: ConfigEntry) -> tuple[str | None, ConfigSource]:
    return entry.value, ConfigSource(entry.source)


@contextmanager
def _writing(bootstrap: str, topic: str) -> Iterator[None]:
    """Write to partition 0: a follower of a partition without new records is never out of sync."""
    ended = threading.Event()
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "1", "linger.ms": 0})

    def write() -> None:
        while not ended.wait(0.02):
            producer.produce(topic, b"r" * 100, partition=0)
            producer.poll(0)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        ended.set()
        writer.join()
        producer.purge()
        producer.flush(5)


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.8.1", "3.9.2", "4.3.1"])
def test_a_broker_steps_down_from_when_its_time_limit_is_set(
    tmp_path: Path, agent: AgentSpec, java: Java, kafka: str
) -> None:
    """The limit is set as the cluster's default while a read stalls; before, nothing happens.

    Broker 1 then restarts: the update stays in force.
    """
    dist, agent = distribution(kafka, java), replace(agent, holds=True)
    settings = {ENABLE: "true", "replica.lag.time.max.ms": "10000"}
    with LocalCluster(dist, tmp_path / "nodes", agent=agent, settings=settings) as cluster:
        bootstrap = f"127.0.0.1:{cluster.nodes[2].port}"
        create_topic(cluster.bootstrap, "t", [[1, 2, 3]], {})

        def leader() -> int:
            return partitions(bootstrap, "t")[0][0]

        with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
            broker.hold("leader-read", partition="t-0", max_ms=60_000)
            wait_for(lambda: broker.counters().pending_now, lambda pending: pending > 0)
            assert leader() == 1
            alter(dist, bootstrap, None, {T: "500", COOLDOWN: "1000"})
            wait_for(leader, lambda now: now != 1)
            broker.release("leader-read")
            assert broker.counters().errors == 0
        (line,) = updates(agent, 1)
        assert (line[T], line[COOLDOWN]) == (500, 1_000)
        cluster.kill(1)
        cluster.restart(1)
        wait_for(lambda: described(bootstrap, 1)[T].value, lambda value: value == "500", 90)
        wait_for(lambda: len(updates(agent, 1)), lambda count: count == 2)


@pytest.mark.long
def test_scope_request_counts_the_first_fetch_of_a_session_that_began_before_it(
    tmp_path: Path, agent: AgentSpec, java: Java
) -> None:
    """Such a fetch does not name its partitions. Its read stalls at once; the leader steps down.

    The follower is stopped while the scope is turned on, so that its next fetch is the first one.
    """
    dist, agent = distribution("4.3.1", java), replace(agent, holds=True)
    # A fetch that times out would start a new session.
    settings = {"replica.lag.time.max.ms": "20000", "replica.socket.timeout.ms": "120000"}
    with LocalCluster(dist, tmp_path / "nodes", agent=agent, settings=settings) as cluster:
        bootstrap = f"127.0.0.1:{cluster.nodes[3].port}"
        create_topic(cluster.bootstrap, "t", [[1, 2]], {})
        follower = cluster.nodes[2].pid
        with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
            os.kill(follower, signal.SIGSTOP)
            try:
                changes = {ENABLE: "true", SCOPE: "request", T: "500", COOLDOWN: "1000"}
                alter(dist, bootstrap, 1, changes)
                wait_for(lambda: updates(agent, 1), lambda lines: len(lines) == 1)
                broker.hold("leader-read", partition="t-0", max_ms=60_000)
            finally:
                os.kill(follower, signal.SIGCONT)
            wait_for(lambda: partitions(bootstrap, "t")[0][0], lambda leader: leader == 2)
            broker.release("leader-read")
            assert broker.counters().errors == 0


def test_without_the_agent_updated_brokers_and_controllers_start_again(
    start: StartCluster, agent: AgentSpec, dist: Distribution
) -> None:
    """Roll-back: the configs stay in the metadata log, and stock Kafka ignores them."""
    cluster = start(agent=agent)
    alter(dist, cluster.bootstrap, None, {ENABLE: "true", T: "500"})
    wait_for(lambda: updates(agent, 1), lambda lines: len(lines) == 1)
    for node in (cluster.controller.id, 1, 2):
        cluster.remove_agent(node)
        cluster.kill(node)
        cluster.restart(node)
    mixed = f"127.0.0.1:{cluster.nodes[3].port}"
    # Its leader was not restarted: a broker that is still fenced would not lead.
    create_topic(mixed, "t", [[3, 1, 2]], {}, within_s=90)
    stock = described(f"127.0.0.1:{cluster.nodes[1].port}", 1)
    assert stock[ENABLE].value is None, "as of any config that Kafka does not know"
    assert described(mixed, 3)[ENABLE].value == "true", "a cluster that is half rolled back"


@pytest.mark.long
def test_invalid_values_change_nothing(
    start: StartCluster, agent: AgentSpec, dist: Distribution
) -> None:
    """A broker refuses them. A controller checks no value, so the brokers keep the previous one."""
    cluster = start(agent=agent)
    alter(dist, cluster.bootstrap, None, {ENABLE: "true"})
    wait_for(lambda: updates(agent, 1), lambda lines: len(lines) == 1)
    refused = {
        "Invalid value maybe for configuration " + ENABLE: {ENABLE: "maybe"},
        "expected -1 (never) or more than 0": {T: "-7"},
        "Invalid value write for configuration " + SCOPE: {SCOPE: "write"},
        "that removes its followers while it is slow has no successor": {ENABLE: "false", T: "500"},
        "Cannot update these configs dynamically": {"insync.relinquish.via": "fence"},
    }
    for message, changes in refused.items():
        printed = alter(dist, cluster.bootstrap, None, changes)
        assert message in printed, printed
    now = described(cluster.bootstrap, 1)
    assert (now[ENABLE].value, now[T].value, now[SCOPE].value) == ("true", "-1", "read")
    assert now["insync.relinquish.via"].is_read_only

    controller = f"127.0.0.1:{cluster.controller.port}"
    alter(dist, controller, None, {ENABLE: "maybe", COOLDOWN: "7000"}, "controller")
    wait_for(lambda: described(cluster.bootstrap, 1)[COOLDOWN].value, lambda now: now == "7000")
    lines = updates(agent, 1)
    assert [ENABLE in line for line in lines] == [True, False], "it stays true"


def test_the_kill_switch_turns_everything_off_at_once(
    start: StartCluster, agent: AgentSpec, dist: Distribution, program: Callable[..., str]
) -> None:
    """With a fetch pending: its follower leaves the ISR, and the run is void."""
    agent = replace(agent, holds=True)
    cluster = start(agent=agent, settings={ENABLE: "true", "replica.lag.time.max.ms": str(LAG_MS)})
    bootstrap = f"127.0.0.1:{cluster.nodes[2].port}"
    create_topic(cluster.bootstrap, "t", [[1, 2, 3]], {})
    with (
        BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as leader,
        _writing(cluster.bootstrap, "t"),
    ):
        leader.hold("leader-read", partition="t-0", max_ms=60_000)
        _stays(lambda: partitions(bootstrap, "t")[0][1], 2.5)
        assert program("Disable", str(cluster.nodes[1].pid)).split() == ["false", "true"]
        wait_for(lambda: len(partitions(bootstrap, "t")[0][1]), lambda members: members < 3)
        leader.release("leader-read")
        wait_for(lambda: leader.counters().pending_now, lambda pending: pending == 0)
        assert leader.counters().errors == 1
        alter(dist, bootstrap, None, {SCOPE: "request"})
        assert not updates(agent, 1), "until the next start"
    errors = [line for line in read_lines(agent.events_file(1)) if line["type"] == "error"]
    assert [line["error"] for line in errors] == [
        "disabled over JMX: every hook is a no-op until the next start"
    ]


def _stays(isr: Callable[[], list[int]], lags: float) -> None:
    """Check for so many lag limits that no follower leaves the ISR."""
    until = time.monotonic() + lags * LAG_MS / 1_000
    while time.monotonic() < until:
        assert isr() == [1, 2, 3]
        time.sleep(0.1)
