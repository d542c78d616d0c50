"""Faults of a broker's whole disk: their effect on a real broker, and their evidence in a run."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from disks import FAULTS, MEBIBYTE, RECORD, fetch, produce, run_all
from fault_runs import OneNode, during, planned, weaknesses
from insync.brokers.cluster.admin import client, create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import Distribution
from insync.faults.base import Fault
from insync.faults.support.control import ControlFile, Site
from insync.faults.support.disk import blkio, mounts, passthrough, volume
from insync.faults.support.disk.passthrough import Passthrough
from waiting import wait_for

NO_STALL, NO_VOLUME = passthrough.unavailable(), volume.unavailable()
NO_THROTTLE = blkio.unavailable(Path("/var/tmp"))  # noqa: S108 - asked for its disk only
SETTINGS = {"log.segment.delete.delay.ms": "100", "log.initial.task.delay.ms": "100"}
SHORT_S = 1.0
"""A stall lasts longer. Without one a client needs less, in some moment of a busy machine."""

needs_stall = pytest.mark.skipif(NO_STALL is not None, reason=str(NO_STALL))
needs_throttle = pytest.mark.skipif(NO_THROTTLE is not None, reason=str(NO_THROTTLE))
needs_volume = pytest.mark.skipif(NO_VOLUME is not None, reason=str(NO_VOLUME))


@dataclass
class Lab:
    """Two brokers: topic "gate" is on broker 1, behind a gate; "plain" on broker 2."""

    cluster: LocalCluster
    gate: ControlFile

    def produce(self, topic: str, records: int = 1) -> float:
        return produce(self.cluster, topic, records)

    def fetch(self, topic: str, records: int) -> float:
        return fetch(self.cluster, topic, records)


@pytest.fixture(scope="module")
def lab(dist: Distribution, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    home = tmp_path_factory.mktemp("disk")
    data = home / "nodes" / "1" / "data"
    data.mkdir(parents=True)

    def launch(command: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        return process.start(command, log=log, folder=home, environment=os.environ)

    with ExitStack() as stack:
        gate = Passthrough.mount(data, home / "disk.control", 64, launch)
        stack.callback(gate.unmount)
        nodes = LocalCluster(dist, home / "nodes", brokers=2, settings=SETTINGS)
        cluster = stack.enter_context(nodes)
        create_topic(cluster.bootstrap, "gate", [[1]], {})
        create_topic(cluster.bootstrap, "plain", [[2]], {})
        made = Lab(cluster, gate.control)
        made.produce("gate")
        yield made
    assert not mounts.is_mounted(data)
    assert list(data.glob("gate-0/*.log")), "what was written is in the folder itself"


def is_short(seconds: float) -> bool:
    return seconds < SHORT_S


def stall(lab: Lab, *operations: Site, delay_ms: int = 0) -> Fault[Any]:
    disks = SimpleNamespace(gates={1: lab.gate})
    return planned(
        SimpleNamespace(disks=disks), "disk-stall", for_ms=2_500, delay_ms=delay_ms,
        operations=[each.name.lower() for each in operations],
        mode="delay" if delay_ms else "hold",
    )  # fmt: skip


@needs_stall
def test_a_produce_request_waits_for_a_disk_that_takes_no_writes(lab: Lab) -> None:
    wait_for(lambda: lab.produce("gate"), is_short)
    took, line = during(stall(lab, Site.WRITE), lambda: lab.produce("gate"), 2.5)
    assert took > SHORT_S
    assert line.figures["writes"] >= 1
    assert line.acted_ms is not None and 1_000 < line.acted_ms < 60_000
    wait_for(lambda: lab.produce("gate"), is_short)


@needs_stall
def test_recently_written_data_is_read_from_the_disk(lab: Lab) -> None:
    lab.produce("gate", 10)
    wait_for(lambda: lab.fetch("gate", 10), is_short)
    took, line = during(stall(lab, Site.READ), lambda: lab.fetch("gate", 10), 2.5)
    assert took > SHORT_S
    assert line.figures["reads"] >= 1
    assert line.calls_held == line.figures["reads"]


@needs_stall
def test_a_delay_adds_to_each_operation(lab: Lab) -> None:
    def delayed() -> float:
        took, line = during(stall(lab, Site.WRITE, delay_ms=300), lambda: lab.produce("gate"))
        assert took >= 0.3
        assert line.longest_held_ms is not None and line.longest_held_ms > 290
        return max(took, line.longest_held_ms / 1_000)

    wait_for(delayed, is_short)


@needs_stall
def test_a_topic_is_deleted_behind_a_gate(lab: Lab) -> None:
    """Kafka renames its folder, unmaps its indexes, and removes all of it a while later."""
    create_topic(lab.cluster.bootstrap, "short", [[1]], {})
    lab.produce("short", 5)
    admin = client(lab.cluster.bootstrap)
    admin.delete_topics(["short"])["short"].result()
    data = lab.cluster.nodes[1].data_dir
    wait_for(lambda: list(data.glob("short-0*")), lambda left: not left)


@needs_stall
@needs_throttle
def test_a_cold_fetch_is_no_faster_than_the_disk(lab: Lab) -> None:
    records = 4 * MEBIBYTE // RECORD
    lab.produce("plain", records)
    node = lab.cluster.nodes[2]
    quick = min(lab.fetch("plain", records) for _ in range(3))
    fault = planned(
        OneNode(node.process, folder=node.data_dir), "disk-throttle", broker=2, for_ms=2_000,
        read_bytes_per_s=2 * MEBIBYTE, write_bytes_per_s=MEBIBYTE,
    )  # fmt: skip
    slow, line = during(fault, lambda: lab.fetch("plain", records), 2.5)
    # Not all 4 MiB: pages used a moment ago may stay cached (128 to 512 KiB, in 8 of 21 runs).
    assert slow > max(quick, 1.4)  # 3 MiB, at 2 MiB/s
    assert line.figures["read_bytes"] >= 3 * MEBIBYTE
    assert line.acted_ms is not None and line.acted_ms > 1_500


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_all(tmp_path_factory.mktemp("disks"), "local")


@needs_stall
@needs_volume
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_run_shows_that_it_acted(name: str, evidence: dict[str, Any]) -> None:
    plan, line = evidence[name]
    assert weaknesses(plan, line) == []
    assert (line["fault"], line["broker"]) == (plan["kind"], plan["broker"])


@needs_stall
@needs_volume
@pytest.mark.parametrize("name", ["disk-full", "disk-read-only"])
def test_a_broker_whose_only_disk_fails_ends_itself(name: str, evidence: dict[str, Any]) -> None:
    """The broker was started again afterwards; otherwise the run would not end with a full ISR."""
    _, line = evidence[name]
    assert line["figures"]["ended"] == 1
    assert line["figures"]["refused"] == 2
