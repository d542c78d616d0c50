"""A stall of a leader of very many partitions begins at once, without a restart, and is seen."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from confluent_kafka import Producer

from fault_runs import planned, running
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.limits import room_for
from insync.brokers.cluster.node import NodeExtras
from insync.faults.support.control import ControlFile
from insync.faults.support.shim import preload, require_shim
from integration.lab import StartCluster
from waiting import wait_for

PARTITIONS = int(os.environ.get("INSYNC_MANY_PARTITIONS", "1600"))
PER_TOPIC = 1_600  # a controller makes at most 10,000 records of one request
WRITTEN = 20
WITHIN_S = 300.0


@pytest.mark.long
def test_all_partitions_reads_are_stalled_in_a_second(start: StartCluster, tmp_path: Path) -> None:
    control = ControlFile.create(tmp_path / "stall", tmp_path / "nodes" / "1", PARTITIONS)
    heap = ("-Xmx1g",) if PARTITIONS > PER_TOPIC else ()
    under_shim = preload(require_shim(), tmp_path / "stall")
    extras = {
        broker: NodeExtras(environment=under_shim if broker == 1 else {}, flags=heap)
        for broker in (1, 2, 3)
    }
    cluster = start(settings=room_for(PARTITIONS), extras=extras)
    pid = cluster.nodes[1].process.pid
    begun = time.monotonic()
    sizes = [min(PER_TOPIC, PARTITIONS - at) for at in range(0, PARTITIONS, PER_TOPIC)]
    for number, size in enumerate(sizes):
        create_topic(cluster.bootstrap, f"many-{number}", [[1, 2, 3]] * size, {}, within_s=WITHIN_S)
    created_s = time.monotonic() - begun
    targets = [f"many-{number}-{each}" for number, size in enumerate(sizes) for each in range(size)]
    stall = planned(
        running(cluster, b1=control), "stall", for_ms=20_000, site="read",
        mode="hold", partitions=[0],
    )  # fmt: skip
    stall.context = replace(stall.context, target=targets)
    begun = time.process_time()
    stall.inject()
    armed_s = time.process_time() - begun
    assert armed_s < 1
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for partition in range(WRITTEN):
        producer.produce("many-0", b"record", partition=partition)
    try:
        wait_for(lambda: held(control), lambda stalled: stalled >= 1, within_s=30)
    finally:
        begun = time.monotonic()
        stall.lift()
    lifted_s = time.monotonic() - begun
    assert producer.flush(WITHIN_S) == 0
    line = stall.evidence()
    assert cluster.nodes[1].process.pid == pid, "no restart"
    assert line.calls_held >= 1
    assert line.longest_held_ms > 0
    files = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    maps = len(Path(f"/proc/{pid}/maps").read_text().splitlines())
    print(
        f"\n{PARTITIONS} partitions: created in {created_s:.1f} s, armed in {armed_s:.3f} s,"
        f" lifted in {lifted_s:.3f} s; broker 1: {files} files, {maps} mappings"
    )


def held(control: ControlFile) -> int:
    return sum(slot.held_now for slot in control.slots)
