"""Brokers that move their logs to a remote storage, which here is a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from confluent_kafka import Producer

from fault_runs import running
from insync.brokers.cluster.admin import SMALL_SEGMENTS, create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from integration.production.checks import (
    ALL,
    LAG,
    TOPIC,
    WITHIN_S,
    StartCluster,
    Writer,
    check_scopes,
    check_step_down,
    isr,
    with_pauses,
)
from integration.production.jars import LOCAL_TIERED_STORAGE, fetched
from waiting import wait_for

pytestmark = pytest.mark.cluster

PAIR = [1, 2]
TIERED = {
    **SMALL_SEGMENTS,
    "remote.storage.enable": "true",
    "retention.ms": "-1",
    "local.retention.bytes": "1",
    "file.delete.delay.ms": "1",
}
RECORDS, BYTES = 1_000, 4_000


def with_remote_storage(jar: Path, folder: Path) -> dict[str, str]:
    """Return the settings of brokers whose remote storage is a folder."""
    return {
        "remote.log.storage.system.enable": "true",
        "remote.log.storage.manager.class.name": (
            "org.apache.kafka.server.log.remote.storage.LocalTieredStorage"
        ),
        "remote.log.storage.manager.class.path": str(jar),
        "rsm.config.dir": str(folder),
        "remote.log.metadata.manager.listener.name": "PLAINTEXT",
        "rlmm.config.remote.log.metadata.topic.num.partitions": "1",
        "rlmm.config.remote.log.metadata.topic.replication.factor": "3",
        "remote.log.manager.task.interval.ms": "500",
        "log.retention.check.interval.ms": "500",
        "log.initial.task.delay.ms": "100",
    }


@pytest.mark.long
def test_a_leader_whose_log_is_in_remote_storage(
    start: StartCluster, tmp_path: Path, agent: AgentSpec
) -> None:
    """A new follower starts from the remote log; at the end all is read, most of it from there."""
    remote = tmp_path / "remote"
    storage = with_remote_storage(fetched(LOCAL_TIERED_STORAGE), remote)
    cluster = start(agent=with_pauses(agent), settings={**LAG, **storage})
    create_topic(cluster.bootstrap, TOPIC, [PAIR], TIERED)
    fill(cluster)
    first = cluster.nodes[1].data_dir / f"{TOPIC}-0" / f"{0:020}.log"
    wait_for(first.exists, lambda local: not local, WITHIN_S)
    assert sum(file.stat().st_size for file in remote.rglob("*.log")) > RECORDS * BYTES / 2
    writer = Writer(cluster.bootstrap, TOPIC)
    with writer.writing():
        running(cluster).assign(TOPIC, 0, ALL)
        wait_for(lambda: isr(cluster), lambda now: now == ALL, WITHIN_S)
        assert not (cluster.nodes[3].data_dir / f"{TOPIC}-0" / first.name).exists()
        check_scopes(cluster, agent)
        check_step_down(cluster, agent)
    writer.check_all_are_there()


def fill(cluster: LocalCluster) -> None:
    """Write records that the check of the writer's own takes for numbers below zero."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for number in range(RECORDS):
        producer.produce(TOPIC, f"{-1 - number}".rjust(BYTES).encode(), partition=0)
    assert producer.flush(WITHIN_S) == 0
