"""Times clients, and runs every fault of a disk, on both kinds of cluster."""

import os
import time
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from fault_runs import run_faults, small_scenario
from insync.brokers.cluster.common import NodeCluster
from insync.faults.support.disk import mounts
from insync.run.request import ClusterKind

WITHIN_S = 30.0
MEBIBYTE = 1 << 20
RECORD = 16 << 10
# A broker ends when a write fails, so two wait for one: while a leader's disk hangs, nobody writes.
FAULTS: dict[str, dict[str, Any]] = {
    "disk-stall": {"kind": "disk-stall", "mode": "hold", "broker": 1, "at_ms": 500},
    "disk-full": {"kind": "disk-full", "broker": 2, "at_ms": 2_500, "for_ms": 3_000},
    "disk-read-only": {"kind": "disk-read-only", "broker": 3, "at_ms": 7_500, "for_ms": 3_000},
    "power-failure": {"kind": "power-failure", "broker": 1, "at_ms": 16_500},
    "controller disk-full": {"kind": "disk-full", "target": "controller", "at_ms": 12_000},
}
FOR_MS = 1_500


def produce(cluster: NodeCluster, topic: str, records: int = 1) -> float:
    began = time.monotonic()
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for _ in range(records):
        producer.produce(topic, os.urandom(RECORD), partition=0)
    assert producer.flush(WITHIN_S) == 0
    return time.monotonic() - began


def fetch(cluster: NodeCluster, topic: str, records: int) -> float:
    began = time.monotonic()
    settings = {"bootstrap.servers": cluster.bootstrap, "group.id": "none"}
    consumer = Consumer({**settings, "enable.auto.commit": False})  # else its end takes 30 s
    consumer.assign([TopicPartition(topic, 0, 0)])
    seen = 0
    while seen < records and time.monotonic() < began + WITHIN_S:
        seen += len(consumer.consume(records - seen, 0.2))
    took = time.monotonic() - began
    consumer.close()
    assert seen == records
    return took


def run_all(folder: Path, cluster: ClusterKind) -> dict[str, tuple[dict[str, Any], Any]]:
    """Run all of FAULTS in one repeat; per name the plan and the evidence."""
    faults = [{"for_ms": FOR_MS, **fault} for fault in FAULTS.values()]
    seen = run_faults(folder, small_scenario("disks", faults), cluster)
    assert not [mount for mount in mounts.mounted() if folder in mount.folder.parents]
    assert not list(folder.rglob("*.img"))
    return dict(zip(FAULTS, seen, strict=True))
