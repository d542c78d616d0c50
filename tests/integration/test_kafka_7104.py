"""KAFKA-7104: versions with and without it under load; what the agent weaves and answers."""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest
from confluent_kafka import Producer

from insync.arms import FEATURE, LOG_START
from insync.brokers.cluster.admin import client, create_topic, delete_records
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.errors import InsyncError
from insync.workload.prefill import burst
from insync_bridge import BridgeError
from integration.lab import AT, HELD_MS, TOPIC, Lab, StartCluster, StartLab, repeated
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


@pytest.mark.parametrize("kafka", [pytest.param("1.1.0", marks=pytest.mark.long), "4.3.1"])
def test_only_what_a_config_asks_for_is_woven(
    kafka: str, start: StartCluster, agent: AgentSpec
) -> None:
    added = {1: set(), 2: {"maybeIncrementLogStartOffset"}, 3: {"<init>"}}
    extras = {
        broker: NodeExtras(settings={LOG_START: asked})
        for broker, asked in ((2, "bound"), (3, "snapshot"))
    }
    lab = Lab(start(kafka=kafka, agent=agent, extras=extras), agent)
    for number, expected in added.items():
        with lab.bridge(number) as broker:
            with pytest.raises(BridgeError, match="pause-points=on"):
                broker.hold("leader-read", max_ms=1_000)
            assert broker.counters().errors == 0
        woven = [name for each in lab.events("hook_added", number) for name in each["woven"]]
        assert {name.rpartition(".")[2] for name in woven} >= expected
        assert bool(woven) == bool(expected)
