"""Brokers that move their logs to a remote storage, which here is a folder."""

from pathlib import Path

import pytest
from confluent_kafka import Producer

from insync.brokers.cluster.admin import SMALL_SEGMENTS
from integration.lab import ALL, LAG, TOPIC, WITHIN_S, StartLab
from integration.production.jars import LOCAL_TIERED_STORAGE, fetched
from waiting import wait_for

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
def test_a_leader_whose_log_is_in_remote_storage(start_lab: StartLab, tmp_path: Path) -> None:
    """A new follower starts from the remote log; at the end all is read, most of it from there."""
    remote = tmp_path / "remote"
    storage = with_remote_storage(fetched(LOCAL_TIERED_STORAGE), remote)
    lab = start_lab(assignment=[PAIR], configs=TIERED, settings={**LAG, **storage})
    fill(lab.cluster.bootstrap)
    first = lab.cluster.nodes[1].data_dir / f"{TOPIC}-0" / f"{0:020}.log"
    wait_for(first.exists, lambda local: not local, WITHIN_S)
    assert sum(file.stat().st_size for file in remote.rglob("*.log")) > RECORDS * BYTES / 2
    with lab.writing():
        lab.reassign(ALL)
        lab.await_isr()
        assert not (lab.cluster.nodes[3].data_dir / f"{TOPIC}-0" / first.name).exists()
        lab.check_scopes()
        lab.check_step_down()


def fill(bootstrap: str) -> None:
    """Write records that the check of the writer's own takes for numbers below zero."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    for number in range(RECORDS):
        producer.produce(TOPIC, f"{-1 - number}".rjust(BYTES).encode(), partition=0)
    assert producer.flush(WITHIN_S) == 0
