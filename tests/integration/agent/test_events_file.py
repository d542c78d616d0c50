"""The agent's events file: what is not a file is refused, and a full disk costs only events."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.faults.support.disk import mounts
from insync_bridge import BridgeClient
from kafka_main import run_kafka
from waiting import wait_for

PENDING_READS = "follower.fetch.pending.reads.insync.enable"
StartCluster = Callable[..., LocalCluster]

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused_before_the_broker_starts(
    java: Java, dist: Distribution, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """The agent would wait for a reader of the pipe, and the broker for the agent."""
    make(tmp_path / "events")
    done = run_kafka(
        java, dist, f"-javaagent:{AGENT_JAR}=lab={LAB_JAR},events={tmp_path / 'events'}"
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert f"events={tmp_path / 'events'}" in line
    assert "expected a file" in line


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a disk of 64 KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    folder = tmp_path / "small"
    folder.mkdir()
    mounts.run("mount", "-t", "tmpfs", "-o", "size=64k", "events", str(folder))
    try:
        yield folder
    finally:
        mounts.run("umount", str(folder))


def test_a_full_disk_costs_events_which_are_counted_and_nothing_else(
    small_disk: Path, start: StartCluster, agent: AgentSpec
) -> None:
    agent = replace(agent, events_dir=small_disk)
    cluster = start(brokers=1, agent=agent, settings={PENDING_READS: "true"})
    filler = small_disk / "filler"
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as broker:
        with pytest.raises(OSError, match="No space"), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1_024))
        for number in range(40):  # an event of each new leader: more than the last page holds
            create_topic(cluster.bootstrap, f"full-{number}", [[1]], {})
        wait_for(lambda: broker.counters().events_dropped, bool, 30)
        assert broker.counters().errors == 0
        filler.unlink()
        create_topic(cluster.bootstrap, "later", [[1]], {})
        wait_for(lambda: "later" in topics(agent), bool, 30)


def topics(agent: AgentSpec) -> set[object]:
    """Return the topics of the file's events; lines that the full disk cut are left out."""
    lines = agent.events_file(1).read_text(encoding="utf-8").splitlines()
    whole = [line for line in lines if line.endswith("}")]
    assert len(lines) - len(whole) <= 1
    return {json.loads(line).get("topic") for line in whole}
