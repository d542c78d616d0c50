"""What tests of disk faults on both kinds of cluster share: clients that are timed, and a run."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from insync.brokers.cluster.common import NodeCluster
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.support.disk import mounts
from insync.run.plan import prepare
from insync.run.progress import NoProgress
from insync.run.request import ClusterKind, RunRequest
from insync.run.runner import execute
from insync.scenario.load import parse

WITHIN_S = 30.0
MEBIBYTE = 1 << 20
RECORD = 16 << 10
HEAD = """
schema = 1
name = "disks"
summary = "a disk of every broker fails in its own way"
arms = ["stock"]
repeats = 1
min_insync_replicas = 1
[broker]
replica_lag_time_max_ms = 2_000
replica_fetch_wait_max_ms = 500
broker_session_timeout_ms = 2_000
[workload]
leaders = [1, 2, 3]
rate_per_partition = 25
record_bytes = 200
[timeline]
steady_ms = 500
recover_ms = 1_000
"""
FAULTS: dict[str, dict[str, Any]] = {
    "disk-stall": {"kind": "disk-stall", "mode": "hold", "broker": 1, "at_ms": 500},
    "disk-full": {"kind": "disk-full", "broker": 2, "at_ms": 1_500},
    "disk-read-only": {"kind": "disk-read-only", "broker": 3, "at_ms": 7_000},
}
FOR_MS = 1_500


def produce(cluster: NodeCluster, topic: str, records: int = 1) -> float:
    """Produce records and return how many seconds it took until all were acked."""
    began = time.monotonic()
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for _ in range(records):
        producer.produce(topic, os.urandom(RECORD), partition=0)
    assert producer.flush(WITHIN_S) == 0
    return time.monotonic() - began


def fetch(cluster: NodeCluster, topic: str, records: int) -> float:
    """Read so many records from the start and return how many seconds it took."""
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


def during(fault: Fault, act: Callable[[], float], seconds: float = 1.5) -> tuple[float, FaultLine]:
    """Return what `act` returns when it begins with the fault, and what the fault left."""
    fault.inject()
    lifting = threading.Timer(seconds, fault.lift)
    lifting.start()
    try:
        took = act()
    finally:
        lifting.join()
    return took, fault.evidence()


def run_all(folder: Path, cluster: ClusterKind) -> dict[str, tuple[dict[str, Any], Any]]:
    """Run all of FAULTS in one repeat; per name the plan and the evidence."""
    file = folder / "disks.toml"
    text = HEAD
    for fault in FAULTS.values():
        keys = {**fault, "for_ms": FOR_MS}
        lines = (f"{key} = {json.dumps(value)}" for key, value in keys.items())
        text += "[[faults]]\n" + "\n".join(lines) + "\n"
    file.write_text(text, encoding="utf-8")
    request = RunRequest(scenario=str(file), out=folder / "run", cluster=cluster)
    execute(prepare(request, NoProgress()), NoProgress())
    assert not [mount for mount in mounts.mounted() if folder in mount.folder.parents]
    assert not list(folder.rglob("*.img"))
    seen = (folder / "run/events/stock/faults.jsonl").read_text().splitlines()
    planned = parse(text, "disks").faults
    return {
        name: (fault.model_dump(mode="json"), json.loads(line))
        for name, fault, line in zip(FAULTS, planned, seen, strict=True)
    }
