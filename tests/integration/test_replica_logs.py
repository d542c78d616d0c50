"""Reads what brokers of each range of versions leave: the replicas' batches, and their roles."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.replica_logs import batches, roles
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from waiting import wait_for

Batches = dict[int, list[dict[str, Any]]]
VERSIONS = [
    *(pytest.param(each, marks=pytest.mark.long) for each in ("2.8.2", "3.6.2", "3.9.2")),
    "1.1.0",
    "4.3.1",
]
RECORDS = 6
TWO = {"transaction.state.log.replication.factor": "2"}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_replicas_of_each_version_can_be_read_and_are_the_same(
    version: str, java: Java, tmp_path: Path
) -> None:
    dist = distribution(version, java)
    with LocalCluster(dist, tmp_path / "nodes", brokers=2, settings=TWO) as cluster:
        create_topic(cluster.bootstrap, "events", [[1, 2]], {"min.insync.replicas": "2"})
        write(cluster)
        # The ends of transactions are written by and by.
        running = wait_for(
            lambda: logs_of(cluster, dist),
            lambda found: [len(found[replica]) for replica in (1, 2)] == [RECORDS + 4] * 2,
        )
        roles_by_broker = {
            node.id: [role for role in roles(node.log.open()) if role["topic"] == "events"]
            for node in cluster.nodes.values()
            if node.role == "broker"
        }
    stopped = logs_of(cluster, dist)
    assert set(running) == set(stopped) == {1, 2}
    assert stopped[1] == stopped[2]
    assert running[1] == stopped[1]
    assert [(b["base_offset"], b["last_offset"]) for b in stopped[1][:-1]] == [
        (offset, offset) for offset in range(RECORDS + 3)
    ]
    assert [b["control"] for b in stopped[1]][RECORDS:] == [None, "commit", None, "abort"]
    assert [b["transactional"] for b in stopped[1]] == [False] * RECORDS + [True] * 4
    assert all(b["valid"] for b in stopped[1])
    assert [(role["role"], role["leader_epoch"], role["life"]) for role in roles_by_broker[1]] == [
        ("leader", 0, 1)
    ]
    spoil(cluster.nodes[2].data_dir / "events-0", stopped[2])
    spoilt = logs_of(cluster, dist)
    assert [b["valid"] for b in spoilt[2]] == [False] + [True] * (RECORDS + 2)
    assert spoilt[1] == stopped[1]


def write(cluster: LocalCluster) -> None:
    """Write a batch per record, and then a transaction that commits and one that aborts."""
    plain = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
    for number in range(RECORDS):
        plain.produce("events", b"record %d" % number, partition=0)
        assert plain.flush(20) == 0
    whole = Producer(
        {"bootstrap.servers": cluster.bootstrap, "transactional.id": "one", "log_level": 0}
    )
    whole.init_transactions(30)
    for end in (whole.commit_transaction, whole.abort_transaction):
        whole.begin_transaction()
        whole.produce("events", b"in a transaction", partition=0)
        assert whole.flush(20) == 0
        end(30)


def logs_of(cluster: LocalCluster, dist: Distribution) -> Batches:
    """Return each replica's batches, without the columns that name the replica."""
    found: Batches = defaultdict(list)
    for line in batches(cluster, dist, ["events"]):
        replica = line.pop("replica")
        if line.pop("kind") == "batch":
            found[replica].append(line)
        else:
            assert line["problem"] is None
            assert line["batches"] == len(found[replica])
    return found


def spoil(folder: Path, there: list[dict[str, Any]]) -> None:
    """Change the last byte of the first batch, and cut the last one short."""
    segment = next(folder.glob("*.log"))
    content = bytearray(segment.read_bytes())
    content[there[0]["bytes"] - 1] ^= 1
    segment.write_bytes(content[:-1])
