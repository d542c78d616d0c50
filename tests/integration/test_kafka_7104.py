"""KAFKA-7104 under load on versions with and without it, and when a replica moves in a broker.

The log end of a copy in another log directory is above its high watermark when a response has a log
start offset above that high watermark: the race of `log-start-race`, in the thread that moves it.
"""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer

from insync.arms import FEATURE, LOG_START
from insync.brokers.cluster.admin import SMALL_SEGMENTS, client, create_topic, delete_records
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.formats import new_id, with_ids
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.errors import InsyncError
from insync.workload.prefill import burst
from insync_bridge import BridgeClient
from integration.lab import AT, HELD_MS, TOPIC, Lab, Program, StartLab, repeated
from waiting import wait_for

SEED = 7104
SECONDS = 60.0
FIXED_SECONDS = 10.0
"""Affected versions are struck in less than 3 s."""
STRUCK = "Cannot increment the log start offset to"
WRITERS = 2


@contextmanager
def writing(bootstrap: str) -> Iterator[None]:
    """Produce as fast as possible, a record per batch."""
    one_each = {"batch.num.messages": 1, "linger.ms": 0, "queue.buffering.max.messages": 2000}
    settings = {"bootstrap.servers": bootstrap, "acks": 1, "log_level": 0, **one_each}
    producers = [Producer(settings) for _ in range(WRITERS)]

    def fill(producer: Producer) -> None:
        try:
            while True:
                producer.produce(TOPIC, b"record" * 20, partition=0)
        except BufferError:
            producer.poll(0.01)

    with ExitStack() as stack:
        for each in producers:
            stack.enter_context(repeated(partial(fill, each), 0))
        yield
    for each in producers:
        each.flush(10)


def deletions_until_struck(kafka: str, java: Java, folder: Path, seconds: float) -> int | None:
    """Delete to the high watermark at random moments; return how often until a fetcher died.

    The follower takes one batch per fetch, so it stays behind and out of the ISR; each deletion
    waits for it, and each fetch of it then moves the low watermark. No agent, no hold.
    """
    moments = random.Random(SEED)  # noqa: S311
    slow = {2: NodeExtras(settings={"replica.fetch.max.bytes": "1"})}
    settings = {"replica.lag.time.max.ms": "1000"}
    dist = distribution(kafka, java)
    with LocalCluster(dist, folder, brokers=2, settings=settings, extras=slow) as cluster:
        create_topic(cluster.bootstrap, TOPIC, [[1, 2]], {"min.insync.replicas": "1"})
        log, admin = cluster.nodes[2].log, client(cluster.bootstrap)
        with writing(cluster.bootstrap):
            until, asked = time.monotonic() + seconds, 0
            while time.monotonic() < until:
                delete_records(admin, TOPIC, 0)
                asked += 1
                time.sleep(moments.uniform(0, 0.004))
                if asked % 10 == 0 and STRUCK in log.read_text(errors="replace"):
                    return asked
    return None


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["1.0.0", "1.1.0"])
def test_a_fetcher_of_an_affected_version_dies_under_load(
    kafka: str, java: Java, tmp_path: Path
) -> None:
    asked = deletions_until_struck(kafka, java, tmp_path / "nodes", SECONDS)
    assert asked is not None, f"not struck in {SECONDS:.0f} s, seed {SEED}"
    print(f"{kafka}: struck by deletion {asked} at the latest, seed {SEED}")


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["1.0.2", "2.0.0"])
def test_fetchers_of_a_fixed_version_live(kafka: str, java: Java, tmp_path: Path) -> None:
    asked = deletions_until_struck(kafka, java, tmp_path / "nodes", FIXED_SECONDS)
    assert asked is None, f"struck by deletion {asked} at the latest, seed {SEED}"


@pytest.mark.parametrize(
    ("kafka", "settings", "watermark"),
    [
        pytest.param("1.1.1", {LOG_START: "snapshot"}, 1, marks=pytest.mark.long),
        ("4.3.1", {LOG_START: "snapshot"}, 1),
        pytest.param("4.3.1", {}, 0, marks=pytest.mark.long),
    ],
)
def test_with_the_snapshot_an_answer_has_the_high_watermark_that_its_fetch_moved(
    kafka: str, settings: dict[str, str], watermark: int, start_lab: StartLab
) -> None:
    """The second fetch acknowledges a record, and its answer has five more.

    The third waits for records, so the follower keeps the high watermark of that answer.
    """
    waits = {"replica.lag.time.max.ms": "30000", "replica.fetch.wait.max.ms": "9000"}
    lab = start_lab(kafka=kafka, brokers=2, assignment=[[1, 2]], settings=waits | settings)
    with lab.bridge() as leader, lab.bridge(2) as follower:
        follower.hold("follower-received", partition=AT, max_ms=HELD_MS)
        burst(lab.cluster.bootstrap, TOPIC, 0, 1, record_bytes=20)
        wait_for(lambda: follower.holds()["follower-received"].waiting, bool)
        burst(lab.cluster.bootstrap, TOPIC, 0, 5, record_bytes=20)
        follower.release("follower-received")
        wait_for(lambda: leader.own_replica(TOPIC, 0), lambda own: own and own.high_watermark == 6)
        own = follower.own_replica(TOPIC, 0)
        assert own is not None
        assert (own.log_start_offset, own.high_watermark, own.leo) == (0, watermark, 6)
        assert leader.counters().errors == 0


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "problem"),
    [({LOG_START: "perhaps"}, LOG_START), ({FEATURE: "true"}, "no KIP-501 for this version")],
)
def test_a_setting_that_1_1_0_does_not_support_stops_its_start(
    settings: dict[str, str], problem: str, start_lab: StartLab
) -> None:
    with pytest.raises(InsyncError, match=rf"ConfigException.*{problem}"):
        start_lab(kafka="1.1.0", brokers=1, settings=settings)


RECORD_BYTES = 100_000


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
    settings = {
        "replica.lag.time.max.ms": "30000", "broker.session.timeout.ms": "2000",
        "broker.heartbeat.interval.ms": "200", LOG_START: request.param,
    }  # fmt: skip
    lab = start_lab(brokers=2, assignment=(), settings=settings)
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
    assert STRUCK in moving.lab.log()
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
