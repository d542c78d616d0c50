"""A cluster of local brokers starts soon, is complete, leaves readable logs and no process."""

import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import KafkaException, Producer

from insync.artifacts import VERSIONS_TABLE, built
from insync.brokers.cluster import common as plans
from insync.brokers.cluster.admin import client, create_topic, partitions
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.kafka import versions
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.ports import free_ports
from insync.brokers.kafka.resolve import distribution
from insync.errors import InputError, InsyncError
from insync.run.version_support import read_table
from insync.workload.prefill import burst
from integration.lab import StartCluster, java_agent
from processes import gone
from waiting import wait_for

ASSIGNMENT = [[1, 2, 3], [2, 3, 1]]
STOCK_ONLY = read_table(built(VERSIONS_TABLE).read_text(encoding="utf-8"))["stock"].split(",")
"""Versions that only test_kafka_7104.py starts."""
LIKE_ANOTHER = (
    "1.1.0", "1.1.1", "2.8.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.4.0",
)  # fmt: skip
"""Versions whose clusters are set up as those of another version, or run in other tests."""
QUICK = {
    "broker.session.timeout.ms": "6000",
    "num.io.threads": "3",
    "replica.lag.time.max.ms": "1000",
    "replica.fetch.wait.max.ms": "100",
}


@pytest.mark.parametrize(
    "version",
    [
        pytest.param(each, marks=[pytest.mark.long] if each in LIKE_ANOTHER else [])
        for each in versions.known()
        if each not in STOCK_ONLY
    ],
)
def test_a_cluster_keeps_its_promises(version: str, java: Java, tmp_path: Path) -> None:
    """The whole life of a cluster of each version, and one shrink that its history shows.

    The follower is then killed, and comes back within its old session, and into the ISR.
    """
    dist = distribution(version, java)
    with LocalCluster(dist, tmp_path / "nodes", settings=QUICK) as cluster:
        create_topic(cluster.bootstrap, "events", ASSIGNMENT, {"min.insync.replicas": "2"})
        expected = {0: (1, [1, 2, 3]), 1: (2, [1, 2, 3])}
        for server in cluster.bootstrap.split(","):
            assert partitions(server, "events") == expected
        assert (cluster.nodes[1].data_dir / "events-0").is_dir()
        pids = [node.pid for node in cluster.nodes.values()]
        assert addresses(pids) <= {"127.0.0.1", "::ffff:127.0.0.1"}
        frozen_ms, shrunk_ms, running = shrink(cluster, dist, follower=3)
        cluster.kill(3)
        cluster.restart(3)
        pids.append(cluster.nodes[3].pid)
        own = f"127.0.0.1:{cluster.nodes[3].port}"
        wait_for(lambda: partitions(own, "events"), expected.__eq__)
    assert all(gone(pid) for pid in pids)
    cluster.stop()
    with pytest.raises(KafkaException):
        client(cluster.bootstrap).list_topics(timeout=0.5)
    lines = list(isr_events(cluster, dist, "stock"))
    assert lines[: len(running)] == running
    # In whatever order: one controller writes them one by one, another sends them together.
    created = {line["partition"]: line["replicas"] for line in running if line["topic"] == "events"}
    assert created == dict(enumerate(ASSIGNMENT))
    assert {line["broker"] for line in running if line["fenced"] is False} == {1, 2, 3}
    shrunk = [line for line in lines if line["partition"] == 0 and frozen_ms < line["t_ms"]]
    assert any(set(line["isr"]) == {1, 2} and line["t_ms"] < shrunk_ms for line in shrunk)
    assert all(line["leader"] == 1 and line["replicas"] == [1, 2, 3] for line in shrunk)
    cluster.remove_data()
    left = sorted(path.name for path in cluster.nodes[1].folder.iterdir())
    assert left == ["server.properties", "stdout.log"]


def addresses(pids: list[int]) -> set[str]:
    connections = (each for pid in pids for each in psutil.Process(pid).net_connections("inet"))
    return {each.laddr.ip for each in connections if each.status == psutil.CONN_LISTEN}


def shrink(
    cluster: LocalCluster, dist: Distribution, follower: int
) -> tuple[float, float, list[dict[str, Any]]]:
    """Freeze a follower of partition 0 until it is out of sync.

    Returns when it was frozen and when it was seen to be out (epoch ms), and the history so far. On
    a busy machine a follower may leave by itself, as the lag limit is short. If it had left when it
    was frozen, by the history, nothing was shown, and it is done again.
    """
    leader, pid = f"127.0.0.1:{cluster.nodes[1].port}", cluster.nodes[follower].pid
    for _ in range(5):
        wait_for(lambda: partitions(leader, "events")[0][1], lambda isr: isr == [1, 2, 3])
        frozen_ms = time.time() * 1000
        os.kill(pid, signal.SIGSTOP)
        burst(cluster.bootstrap, "events", 0, 1, record_bytes=20)
        wait_for(lambda: partitions(leader, "events")[0][1], lambda isr: isr == [1, 2])
        shrunk_ms = time.time() * 1000
        lines = list(isr_events(cluster, dist, "stock"))
        before = [line for line in lines if line["partition"] == 0 and line["t_ms"] <= frozen_ms]
        if follower in before[-1]["isr"]:
            return frozen_ms, shrunk_ms, lines
        os.kill(pid, signal.SIGCONT)
    raise AssertionError("the follower was out of sync each time before it was frozen")


def test_a_topic_is_created_though_the_answer_comes_too_late(
    start: StartCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first request creates it when the client has given up; the next one finds it there."""
    monkeypatch.setattr("insync.brokers.cluster.admin._CREATED_WITHIN_S", 0.5)
    cluster = start(brokers=1)
    os.kill(cluster.controllers[0].pid, signal.SIGSTOP)
    thaw = threading.Timer(2.0, os.kill, (cluster.controllers[0].pid, signal.SIGCONT))
    thaw.start()
    create_topic(cluster.bootstrap, "events", [[1]], {})
    thaw.join()
    with pytest.raises(InsyncError, match=r"topic events: not created: .*already exists"):
        create_topic(cluster.bootstrap, "events", [[1]], {})


@pytest.fixture(scope="module")
def shared(
    dist: Distribution, java: Java, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalCluster]:
    """Start brokers of which the first logs its classes and the second has a setting of its own."""
    folder = tmp_path_factory.mktemp("shared")
    options = f"-javaagent:{java_agent(java, folder)} -Xlog:class+load:file={folder}/classes.log"
    own = NodeExtras(environment={"INSYNC_TEST": "here"}, settings={"num.io.threads": "5"})
    extras = {1: NodeExtras(environment={"JDK_JAVA_OPTIONS": options}), 2: own}
    with LocalCluster(dist, folder / "nodes", extras=extras) as cluster:
        yield cluster


def test_features_are_those_of_a_formatted_cluster(shared: LocalCluster) -> None:
    """Ids differ in a copied format; the feature levels must be what StorageTool gave."""
    log = shared.controllers[0].log.read_text(encoding="utf-8")
    assert "setting metadata.version to 4.3" in log
    assert "setting feature eligible.leader.replicas.version to 1" in log


def test_settings_and_environment_reach_the_node_they_are_for(shared: LocalCluster) -> None:
    nodes = shared.nodes.items()
    environments = {number: psutil.Process(node.pid).environ() for number, node in nodes}
    assert [number for number, its in environments.items() if "INSYNC_TEST" in its] == [2]
    written = {number: (node.folder / "server.properties").read_text() for number, node in nodes}
    assert [number for number, its in written.items() if "num.io.threads=5" in its] == [2]


def test_nodes_start_from_the_archive_also_with_an_agent(shared: LocalCluster) -> None:
    """An agent appends to the class path; the archive must still be used."""
    log = shared.nodes[1].folder.parents[1] / "classes.log"
    loaded = log.read_text(encoding="utf-8").splitlines()
    kafka = [line for line in loaded if "] org.apache.kafka." in line]
    found = [line for line in kafka if "source: shared objects file" in line]
    assert len(found) > 0.9 * len([line for line in kafka if "Lambda" not in line])


def test_a_bad_setting_is_reported_at_once(dist: Distribution, tmp_path: Path) -> None:
    cluster = LocalCluster(dist, tmp_path, settings={"replica.lag.time.max.ms": "soon"})
    begun = time.monotonic()
    with pytest.raises(InsyncError, match=r"ended with 1 while it started: .*Invalid value soon"):
        cluster.__enter__()
    assert time.monotonic() - begun < 45, "it does not wait for a broker that has ended"
    assert all(gone(node.pid) for node in cluster.nodes.values())


def test_a_port_taken_meanwhile_is_replaced(
    dist: Distribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        found = iter([(*free_ports(1), taken.getsockname()[1]), free_ports(2)])
        monkeypatch.setattr(plans, "free_ports", lambda count: next(found))
        with LocalCluster(dist, tmp_path, brokers=1) as cluster:
            assert cluster.nodes[1].port != taken.getsockname()[1]


@pytest.mark.parametrize("folder", ["with,comma", "file/nodes"])
def test_a_folder_that_kafka_cannot_use_is_refused(
    folder: str, dist: Distribution, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match=re.escape(folder)), LocalCluster(dist, tmp_path / folder):
        pass


def test_a_topic_that_cannot_be_created_is_an_error(shared: LocalCluster) -> None:
    with pytest.raises(InsyncError, match=r"^topic a/b: not created: .*invalid"):
        create_topic(shared.bootstrap, "a/b", [[1]], {})
    with pytest.raises(InsyncError, match=r"^topic events: not created: "):
        create_topic(shared.bootstrap, "events", [[1, 7]], {})


def test_a_topic_serves_as_soon_as_it_is_created(shared: LocalCluster) -> None:
    create_topic(shared.bootstrap, "events", ASSIGNMENT, {"min.insync.replicas": "3"})
    answers: list[object] = []
    producer = Producer({"bootstrap.servers": shared.bootstrap, "acks": "all", "log_level": 0})
    for partition in range(len(ASSIGNMENT)):
        producer.produce(
            "events", b"x", partition=partition, on_delivery=lambda error, _: answers.append(error)
        )
    assert producer.flush(10) == 0
    assert answers == [None, None]
