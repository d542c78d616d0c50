"""Faults of disks, links, clocks and JVMs leave their evidence in containers, too.

Containers see mounts of this host.
"""

from pathlib import Path
from typing import Any

import pytest

from disks import FAULTS, MEBIBYTE, RECORD, fetch, produce, run_all
from fault_runs import FAULTS as KINDS
from fault_runs import OneNode, during, planned, run_faults, small_scenario, weaknesses
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.images.image import Image
from insync.brokers.kafka.distribution import Distribution
from insync.faults.support.disk import blkio, passthrough, volume

BROKERS = (1, 2, 3)  # a controller writes little, and may have room in its last block
NO_DISKS = passthrough.unavailable(for_others=True) or volume.unavailable()
NO_THROTTLE = blkio.unavailable(Path("/var/tmp"))  # noqa: S108 - asked for its disk only


@pytest.fixture(scope="module")
def evidence(image: Image, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return run_all(tmp_path_factory.mktemp("disks"), "docker")


@pytest.mark.long
@pytest.mark.skipif(NO_DISKS is not None, reason=str(NO_DISKS))
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_run_shows_that_it_acted(name: str, evidence: dict[str, Any]) -> None:
    plan, line = evidence[name]
    assert weaknesses(plan, line) == []
    if plan["broker"] in BROKERS:
        assert line["figures"].get("ended", 1) == 1, "a broker without a disk ends itself"


@pytest.mark.skipif(NO_THROTTLE is not None, reason=str(NO_THROTTLE))
def test_a_cold_fetch_is_no_faster_than_the_disk(
    image: Image, dist: Distribution, tmp_path: Path
) -> None:
    records = 4 * MEBIBYTE // RECORD
    with ContainerCluster(dist, tmp_path / "nodes", brokers=1, image=image) as cluster:
        create_topic(cluster.bootstrap, "plain", [[1]], {})
        produce(cluster, "plain", records)
        node = cluster.nodes[1]
        quick = fetch(cluster, "plain", records)
        fault = planned(
            OneNode(node.process, folder=node.data_dir), "disk-throttle", for_ms=2_000,
            read_bytes_per_s=2 * MEBIBYTE,
        )  # fmt: skip
        slow, line = during(fault, lambda: fetch(cluster, "plain", records), 2.5)
    assert slow > max(quick, 1.4)  # 3 of the 4 MiB, at 2 MiB/s
    assert line.acted_ms is not None and line.acted_ms > 1_500


NAMES = (
    "clock-jump", "one-way link", "lossy link", "client-link", "slow client-link",
    "controller-link", "jvm-pause",
)  # fmt: skip


@pytest.mark.long
def test_faults_in_containers_show_that_they_acted(image: Image, tmp_path: Path) -> None:
    timed = [
        {**KINDS[name], "at_ms": 1_000 + number * 2_200, "for_ms": 1_200}
        for number, name in enumerate(NAMES)
    ]
    broker = {"broker_session_timeout_ms": 3_000}
    text = small_scenario("in-containers", timed, min_insync_replicas=2, broker=broker)
    seen = run_faults(tmp_path, text, "docker")
    weak = {name: weaknesses(*each) for name, each in zip(NAMES, seen, strict=True)}
    assert not any(weak.values()), weak
