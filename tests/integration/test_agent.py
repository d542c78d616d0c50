"""The agent in real brokers: its config, its metrics, its events, and what it refuses."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import metrics_page
from event_lines import read_lines
from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.errors import InsyncError
from insync.workload.prefill import burst
from insync_bridge import BridgeClient
from kafka_main import run_kafka
from waiting import wait_for

LAG_MS = 3_000
PENDING_READS = "follower.fetch.pending.reads.insync.enable"
StartCluster = Callable[..., LocalCluster]
Program = Callable[..., str]

pytestmark = pytest.mark.cluster


def events(agent: AgentSpec, broker: int = 1) -> list[dict[str, Any]]:
    return read_lines(agent.events_file(broker))


def types(agent: AgentSpec, broker: int = 1) -> list[str]:
    return [event["type"] for event in events(agent, broker)]


@dataclass(frozen=True)
class Brokers:
    """A cluster of three brokers with the agent, which several tests use and leave as it was."""

    cluster: LocalCluster
    agent: AgentSpec


@pytest.fixture(scope="module")
def on(dist: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    settings = {PENDING_READS: "true", "replica.lag.time.max.ms": str(LAG_MS)}
    with brokers(dist, tmp_path_factory.mktemp("on"), settings) as started:
        yield started


@pytest.fixture(scope="module")
def off(dist: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    with brokers(dist, tmp_path_factory.mktemp("off"), {}) as started:
        yield started


@contextmanager
def brokers(dist: Distribution, folder: Path, settings: dict[str, str]) -> Iterator[Brokers]:
    agent = AgentSpec(jar=AGENT_JAR, events_dir=folder, bridge_dir=folder, cache=woven_classes())
    with LocalCluster(dist, folder / "nodes", agent=agent, settings=settings) as cluster:
        yield Brokers(cluster, agent)


def test_a_value_that_is_no_boolean_stops_the_start_with_kafkas_config_exception(
    start: StartCluster, agent: AgentSpec
) -> None:
    with pytest.raises(InsyncError, match=r"ConfigException.*" + PENDING_READS):
        start(brokers=1, agent=agent, settings={PENDING_READS: "perhaps"})


def test_on_the_config_is_described_and_the_metrics_are_there(
    on: Brokers, program: Program
) -> None:
    cluster = on.cluster
    described = program("DescribeConfig", cluster.bootstrap, "1", PENDING_READS).strip()
    assert described.startswith("BOOLEAN|true|STATIC_BROKER_CONFIG|false|Whether a follower stays")
    found = set()
    for attribute in ("Value", "Count"):
        printed = program("ReadMetrics", str(cluster.nodes[1].pid), "kafka.server:*", attribute)
        found |= {line.rsplit("=", 1)[0] for line in printed.splitlines()}
    named = {metrics_page.canonical(name) for name in metrics_page.names()}
    assert {name for name in named if name.startswith("kafka.server:")} <= found


def test_off_by_default_and_described_so(off: Brokers, program: Program) -> None:
    described = program("DescribeConfig", off.cluster.bootstrap, "1", PENDING_READS)
    assert described.startswith("BOOLEAN|false|DEFAULT_CONFIG|false|")
    settings = next(event for event in events(off.agent) if event["type"] == "settings")
    assert settings[PENDING_READS] is False


def test_without_the_agent_kafka_does_not_know_the_config(
    start: StartCluster, program: Program
) -> None:
    cluster = start(brokers=1)
    assert program("DescribeConfig", cluster.bootstrap, "1", PENDING_READS).strip() == "none"


def test_marks_come_and_go_with_the_followers_fetches(on: Brokers) -> None:
    cluster, agent = on.cluster, on.agent
    create_topic(cluster.bootstrap, "events", [[1, 2, 3]], {"min.insync.replicas": "2"})
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        counters = wait_for(broker.counters, lambda seen: seen.released_total > 2)
        partition = broker.replicas("events", 0)
    assert counters.errors == 0, counters.last_error
    assert counters.marks_total == (
        counters.released_total + counters.cleared_total + counters.pending_now
    )
    assert partition is not None
    assert partition.isr == (1, 2, 3)
    assert [replica.in_isr for replica in partition.replicas] == [True, True, True]
    assert {"agent_installed", "settings", "bridge_open", "leader_change"} <= set(types(agent))
    wait_for(lambda: types(agent), lambda seen: "pending" in seen)


def test_off_nothing_is_marked(off: Brokers) -> None:
    cluster, agent = off.cluster, off.agent
    create_topic(cluster.bootstrap, "events", [[1, 2, 3]], {"min.insync.replicas": "2"})
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        counters = broker.counters()
        partition = wait_for(
            lambda: broker.replicas("events", 0),
            lambda seen: seen is not None and all(each.last_fetch_ms for each in seen.replicas[1:]),
        )
    assert (counters.marks_total, counters.errors) == (0, 0)
    assert partition is not None
    followers = partition.replicas[1:]
    assert [each.last_fetch_leader_leo for each in followers] == [0, 0], "shown when off, too"


def test_a_dead_follower_leaves_the_isr_and_its_state_is_reported(on: Brokers) -> None:
    """A dead follower's last fetch ends, and with it the mark: it does not stay in the ISR."""
    create_topic(on.cluster.bootstrap, "bereft", [[1, 2, 3]], {"min.insync.replicas": "1"})

    def shrinks() -> list[dict[str, Any]]:
        found = [event for event in events(on.agent) if event["type"] == "isr_shrink"]
        return [event for event in found if event["topic"] == "bereft"]

    on.cluster.kill(3)
    try:
        burst(on.cluster.bootstrap, "bereft", 0, 1, record_bytes=10)
        shrink = wait_for(shrinks, bool)[0]
    finally:
        on.cluster.restart(3)
    assert (shrink["topic"], shrink["partition"]) == ("bereft", 0)
    assert shrink["isr"] == [1, 2, 3]
    assert shrink["proposed"] == [1, 2]
    assert [follower["replica"] for follower in shrink["followers"]] == [3]
    assert shrink["followers"][0]["lag_ms"] > LAG_MS


@pytest.mark.parametrize(
    ("version", "adapter", "hooks"),
    [
        ("2.8.2", "v2_8", 11),
        pytest.param("3.6.2", "v3_6", 48, marks=pytest.mark.long),
        pytest.param("3.7.2", "v3_7", 49, marks=pytest.mark.long),
        pytest.param("3.8.1", "v3_7", 49, marks=pytest.mark.long),
        pytest.param("3.9.2", "v3_9", 49, marks=pytest.mark.long),
        pytest.param("4.0.2", "v4_0", 49, marks=pytest.mark.long),
        pytest.param("4.1.2", "v4_1", 49, marks=pytest.mark.long),
        ("4.3.1", "v4_2", 49),
        pytest.param("4.4.0", "v4_2", 49, marks=pytest.mark.long),
    ],
)
def test_every_hook_is_woven_before_the_brokers_main(
    java: Java, version: str, adapter: str, hooks: int, tmp_path: Path
) -> None:
    done = run_kafka(java, distribution(version, java), agent_flag(f"events={tmp_path}/e.jsonl"))
    assert f"woven into Kafka {version} by adapter {adapter}\n" in done.stderr
    (installed,) = read_lines(tmp_path / "e.jsonl")
    assert len(installed["woven"]) == hooks


def test_a_version_between_known_ones_is_woven_and_the_start_says_so(
    java: Java, dist: Distribution, tmp_path: Path
) -> None:
    done = run_kafka(java, dist, agent_flag(), before=version_resource(tmp_path, "4.3.7"))
    assert "woven into Kafka 4.3.7 by adapter v4_2; this version is not tested" in done.stderr


def test_a_scope_that_the_version_lacks_is_refused_as_agent_option(java: Java) -> None:
    done = run_kafka(java, distribution("2.8.2", java), agent_flag("default-scope=request"))
    assert done.returncode == 2
    assert "default-scope=request: expected one of [read]" in done.stderr


@pytest.mark.parametrize(
    ("kafka", "options", "expected"),
    [
        ("2.8.2", "default-scope=read,default-step-down=500", "expected off"),
        ("4.3.1", "default-step-down=500", "expected off, or default-scope=read or request"),
    ],
)
def test_a_step_down_that_cannot_be_is_refused_as_agent_option(
    java: Java, kafka: str, options: str, expected: str
) -> None:
    done = run_kafka(java, distribution(kafka, java), agent_flag(options))
    assert done.returncode == 2
    assert f"agent option default-step-down=500: {expected}" in done.stderr


def test_a_missing_symbol_stops_the_start_and_is_named(
    java: Java, dist: Distribution, tmp_path: Path
) -> None:
    broken_classes = replica_without_members(java, tmp_path)
    done = run_kafka(java, dist, agent_flag("on-unsupported=fail"), before=broken_classes)
    assert done.returncode == 2
    assert "USAGE" not in done.stdout + done.stderr, "the broker's main must not have run"
    assert "missing method org.apache.kafka.server.replica.Replica.stateSnapshot" in done.stderr
    assert "Exception" not in done.stderr


def test_a_missing_symbol_runs_the_broker_untouched_by_default(
    java: Java, dist: Distribution, tmp_path: Path
) -> None:
    broken_classes = replica_without_members(java, tmp_path)
    options = f"events={tmp_path}/e.jsonl"
    done = run_kafka(java, dist, agent_flag(options), before=broken_classes)
    assert "USAGE" in done.stdout + done.stderr
    assert "the broker runs unchanged" in done.stderr
    (refused,) = read_lines(tmp_path / "e.jsonl")
    assert refused["type"] == "agent_refused"


@pytest.mark.parametrize(("choice", "runs"), [("fail", False), ("stock", True)])
def test_an_unknown_version_is_refused_or_runs_stock(
    java: Java, dist: Distribution, tmp_path: Path, choice: str, runs: bool
) -> None:
    before = version_resource(tmp_path, "9.9.9")
    done = run_kafka(java, dist, agent_flag(f"on-unsupported={choice}"), before=before)
    assert "Kafka 9.9.9 is not supported" in done.stderr
    assert ("USAGE" in done.stdout + done.stderr) is runs
    assert runs or done.returncode == 2


@pytest.mark.parametrize(
    "options", ["colour=red", "on-unsupported=perhaps", "events=/none/such/e.jsonl"]
)
def test_a_bad_agent_option_is_one_line_and_no_broker(
    java: Java, dist: Distribution, options: str
) -> None:
    done = run_kafka(java, dist, agent_flag(options))
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert options in line
    assert "expected" in line


def agent_flag(*options: str) -> str:
    return f"-javaagent:{AGENT_JAR}={','.join((f'lab={LAB_JAR}', *options))}"


def version_resource(folder: Path, version: str) -> Path:
    """Make a class folder that says that this is Kafka `version`."""
    resource = folder / "kafka" / "kafka-version.properties"
    resource.parent.mkdir()
    resource.write_text(f"version={version}\ncommitId=0\n")
    return folder


def replica_without_members(java: Java, folder: Path) -> Path:
    """Make a class folder whose Replica lacks every member that the agent needs."""
    source = folder / "Replica.java"
    source.write_text("package org.apache.kafka.server.replica; public class Replica { }")
    subprocess.run([java.home / "bin" / "javac", "-d", folder, source], check=True, timeout=60)
    return folder
