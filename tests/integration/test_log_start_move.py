"""A replica that moves to another log directory, while the log it copies deletes records.

The copy's log end is above its high watermark when a response has a log start offset above that
high watermark: the race of `log-start-race`, here in the thread that moves replicas in a broker.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from insync.arms import LOG_START
from insync.brokers.cluster.admin import SMALL_SEGMENTS, client, create_topic, delete_records
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.formats import new_id, with_ids
from insync.workload.prefill import burst
from insync_bridge import BridgeClient
from integration.lab import AT, HELD_MS, TOPIC, Lab, Program, StartLab
from waiting import wait_for

RECORD_BYTES = 100_000
FAILED = "Cannot increment the log start offset to"


@dataclass
class Moving:
    """A cluster of two brokers whose first leads the topic and has two log directories."""

    lab: Lab
    leader: BridgeClient
    follower: BridgeClient
    target: Path

    def waits(self, point: str) -> bool:
        broker = self.follower if point == "follower-received" else self.leader
        return broker.holds()[point].waiting

    def own(self) -> tuple[int, int, int]:
        own = self.leader.own_replica(TOPIC, 0)
        assert own is not None
        return own.log_start_offset, own.high_watermark, own.leo


@pytest.fixture
def moving(request: pytest.FixtureRequest, start_lab: StartLab, tmp_path: Path) -> Iterator[Moving]:
    lab = start_lab(
        brokers=2,
        assignment=(),
        settings={
            "replica.lag.time.max.ms": "30000",
            "broker.session.timeout.ms": "2000",
            "broker.heartbeat.interval.ms": "200",
            LOG_START: request.param,
        },
    )
    target = tmp_path / "second"
    add_log_dir(lab, tmp_path / "nodes" / "1", target)
    create_topic(lab.cluster.bootstrap, TOPIC, [[1, 2]], SMALL_SEGMENTS)
    with lab.bridge() as leader, lab.bridge(2) as follower:
        yield Moving(lab, leader, follower, target)


def add_log_dir(lab: Lab, home: Path, folder: Path) -> None:
    """Restart broker 1 with one more log directory, formatted like its first."""
    cluster = lab.cluster
    cluster.kill(1)
    wait_for(lambda: brokers_of(cluster) == {2}, bool)
    folder.mkdir()
    first = (home / "data" / "meta.properties").read_text(encoding="utf-8")
    own = with_ids(first, {"directory.id": new_id()})
    (folder / "meta.properties").write_text(own, encoding="utf-8")
    with (home / "server.properties").open("a", encoding="utf-8") as settings:
        settings.write(f"log.dirs={home / 'data'},{folder}\n")
    (lab.agent.bridge_dir / "bridge-1.json").unlink()
    cluster.restart(1)
    wait_for(lambda: brokers_of(cluster) == {1, 2}, bool)


def brokers_of(cluster: LocalCluster) -> set[int]:
    return set(client(cluster.bootstrap).list_topics(timeout=5).brokers)


def race(moving: Moving, program: Program) -> None:
    """Let the copy read an old high watermark and a new log start offset below its own log end."""
    leader, follower, bootstrap = moving.leader, moving.follower, moving.lab.cluster.bootstrap
    burst(bootstrap, TOPIC, 0, 5, RECORD_BYTES)
    wait_for(lambda: moving.own() == (0, 5, 5), bool)
    follower.hold("follower-received", partition=AT, max_ms=HELD_MS)
    burst(bootstrap, TOPIC, 0, 30, RECORD_BYTES)
    wait_for(lambda: moving.waits("follower-received"), bool)
    # The copy reads 1 MiB a time. Its third read begins above all that is to be deleted.
    leader.hold("leader-half-read", partition=AT, max_ms=HELD_MS)
    before = program("MoveReplica", bootstrap, TOPIC, "0", "1", str(moving.target)).strip()
    assert before != str(moving.target)
    for _ in range(2):
        wait_for(lambda: moving.waits("leader-half-read"), bool)
        leader.hold("leader-half-read", partition=AT, max_ms=HELD_MS)
    wait_for(lambda: moving.waits("leader-half-read"), bool)
    assert moving.own() == (0, 5, 35)
    # All that is read meanwhile is the follower's, which goes by: one thread is held at a time.
    follower.release("follower-received")
    wait_for(lambda: moving.own()[1] == 35, bool)
    admin = client(bootstrap)
    delete_records(admin, TOPIC, 0, below=12)
    wait_for(lambda: moving.own()[0] == 12, bool)
    leader.release("leader-half-read")


@pytest.mark.long
@pytest.mark.parametrize("moving", ["off"], indirect=True)
def test_stock_fails_to_move_the_replica(moving: Moving, program: Program) -> None:
    race(moving, program)
    wait_for(lambda: bool(moving.leader.fetchers().failed_partitions), bool)
    assert FAILED in moving.lab.log()
    assert "ReplicaAlterLogDirsThread" in moving.lab.log()


@pytest.mark.long
@pytest.mark.parametrize("moving", ["bound", "snapshot"], indirect=True)
def test_with_either_feature_the_replica_arrives(moving: Moving, program: Program) -> None:
    race(moving, program)
    wait_for(lambda: (moving.target / AT).is_dir(), bool)
    fetchers = moving.leader.fetchers()
    assert fetchers.failed_partitions == 0
    assert fetchers.bounded + fetchers.snapshots >= 1
    assert moving.own() == (12, 35, 35)
