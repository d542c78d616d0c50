"""Data that moves: followers that serve consumers, throttled replicas, log directories, tiers.

The remote storage to which brokers move their logs is a folder.
"""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # not in its __all__
    AdminClient,
    NewPartitions,
)

from insync.arms import PROCESS_TIME, READ, REQUEST
from insync.brokers.cluster.admin import SMALL_SEGMENTS, create_topic, partitions, update_broker
from insync.brokers.cluster.node import NodeExtras
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.shim import preload, require_shim
from integration.lab import (
    ALL,
    GROUP,
    LAG,
    LAG_MS,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    Lab,
    StartLab,
    rule,
    stalled_calls,
    stalled_read,
)
from integration.production.jars import LOCAL_TIERED_STORAGE, fetched
from waiting import wait_for

RACKS = {number: NodeExtras(settings={"broker.rack": f"rack-{number}"}) for number in ALL}
RATE = 150_000
"""Bytes per second at which a leader may send to a new replica."""
HISTORY = 2_000_000
"""Bytes that a new replica has to fetch: at this rate several lag limits."""
PAIR = [1, 2]


@pytest.mark.long
def test_consumers_read_from_followers(start_lab: StartLab) -> None:
    """A consumer's fetch at a follower makes no marks there, and a stalled leader keeps its ISR."""
    selector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
    # Broker 3 may lead the topic of offsets. Without followers nobody fetches it from there.
    alone = {"offsets.topic.replication.factor": "1"}
    lab = start_lab(settings={**LAG, **alone, "replica.selector.class": selector}, extras=RACKS)
    with lab.writing(), lab.bridge() as broker, lab.bridge(3) as follower:
        consumer, reads_from = rack_consumer(lab, "rack-3")
        wait_for(reads_from, lambda now: now == 3, WITHIN_S)
        update_broker(lab.server(3), 3, READ)
        for scope in (READ, REQUEST):
            lab.switch(broker, scope)
            with stalled_read(broker):
                lab.stays_whole(2.5)
            assert reads_from() == 3
            lab.switch_off(broker)
        consumer.close()
        assert follower.counters().marks_total == 0
        lab.check_step_down()
        assert follower.counters().errors == 0


def rack_consumer(lab: Lab, rack: str) -> tuple[Consumer, Callable[[], int]]:
    """Return a consumer of partition 0 in a rack, and what lets it read and names its broker."""
    brokers = [-1]

    def seen(statistics: str) -> None:
        brokers.append(json.loads(statistics)["topics"][TOPIC]["partitions"]["0"]["broker"])

    consumer = Consumer(
        {"bootstrap.servers": lab.cluster.bootstrap, "client.rack": rack, "group.id": GROUP,
         "enable.auto.commit": False, "statistics.interval.ms": 100, "stats_cb": seen}
    )  # fmt: skip
    consumer.assign([TopicPartition(TOPIC, 0, 0)])

    def reads_from() -> int:
        consumer.consume(500, 0.2)
        return brokers[-1]

    return consumer, reads_from


@pytest.mark.long
def test_a_topic_grows_and_is_reassigned_while_a_read_is_stalled(start_lab: StartLab) -> None:
    """New partitions work and the new replica joins the ISR while another one's read is stalled."""
    lab = start_lab(assignment=[PAIR])
    grown = {1: (2, [2, 3]), 2: (3, [1, 3])}
    with lab.writing(), lab.bridge() as broker:
        lab.switch(broker, READ)
        with stalled_read(broker):
            admin = AdminClient({"bootstrap.servers": lab.server(), "log_level": 0})
            new = NewPartitions(TOPIC, 3, replica_assignment=[[2, 3], [3, 1]])
            admin.create_partitions([new])[TOPIC].result(WITHIN_S)
            wait_for(
                lambda: partitions(lab.server(), TOPIC),
                lambda now: {each: now.get(each) for each in grown} == grown,
                WITHIN_S,
            )
            lab.reassign(ALL)
            until = time.monotonic() + 2.5 * LAG_MS / 1_000
            while time.monotonic() < until:
                assert set(PAIR) <= set(lab.isr())
            lab.await_isr()
        lab.stays_whole(1.0)
        lab.switch_off(broker)
        lab.check_step_down()


@pytest.mark.long
def test_a_throttled_new_replica_is_no_reason_to_step_down(start_lab: StartLab) -> None:
    """It is slow for many times T because of a replication quota, and not a member of the ISR."""
    throttled = {"leader.replication.throttled.replicas": "0:1"}
    lab = start_lab(assignment=[PAIR], configs=throttled)
    producer = Producer({"bootstrap.servers": lab.cluster.bootstrap, "acks": "all"})
    for _ in range(HISTORY // 10_000):
        producer.produce(TOPIC, os.urandom(10_000), partition=0)
    assert producer.flush(WITHIN_S) == 0
    update_broker(lab.server(1), 1, {"leader.replication.throttled.rate": str(RATE)})
    with lab.bridge() as broker:
        lab.switch(broker, STEP_DOWN)
        began = time.monotonic()
        lab.reassign(ALL)
        while (now := lab.isr()) != ALL:
            assert now == PAIR
            assert lab.leader() == 1
            assert time.monotonic() < began + 2 * WITHIN_S
        assert time.monotonic() - began > 1.5 * LAG_MS / 1_000, "the quota was in force"
        assert not lab.events("step_down")
        assert not lab.events("leader_slow")
        lab.switch_off(broker)
        lab.check_step_down()


OTHER = "u"


def with_two_directories(start_lab: StartLab, folder: Path) -> tuple[Lab, ControlFile]:
    """Start a cluster whose broker 1 leads a partition in each of two directories."""
    dirs = [folder / "nodes" / "1" / "data", folder / "second"]
    control = ControlFile.create(folder / "stall", folder, 4)
    extras = NodeExtras(
        environment=preload(require_shim(), folder / "stall"),
        settings={"log.dirs": ",".join(map(str, dirs))},
    )
    lab = start_lab(extras={1: extras})
    create_topic(lab.cluster.bootstrap, OTHER, [ALL], {})
    places = {topic: [each for each in dirs if (each / f"{topic}-0").is_dir()]
              for topic in (TOPIC, OTHER)}  # fmt: skip
    assert sorted(places.values()) == sorted([[each] for each in dirs]), "one in each directory"
    return lab, control


@pytest.mark.long
@pytest.mark.parametrize("scope", [READ, REQUEST], ids=["read", "request"])
def test_one_log_directory_is_slow_and_does_not_fail(
    start_lab: StartLab, tmp_path: Path, scope: dict[str, str]
) -> None:
    """No ISR shrinks, in neither directory; with step-down another broker leads the partition."""
    lab, control = with_two_directories(start_lab, tmp_path)
    with lab.writing(), lab.writing(OTHER), lab.bridge() as broker:
        lab.switch(broker, scope)
        with stalled_calls(control, Site.READ):
            until = time.monotonic() + 2.5 * LAG_MS / 1_000
            while time.monotonic() < until:
                assert lab.isr() == lab.isr(OTHER) == ALL
        lab.stays_whole(1.0)
        assert lab.leader() == lab.leader(OTHER) == 1

        lab.switch(broker, {**scope, PROCESS_TIME: "500"})
        with stalled_calls(control, Site.READ):
            lab.await_other_leader()
        for topic in (TOPIC, OTHER):
            lab.await_isr(topic=topic)
        answers = wait_for(lambda: broker.counters().step_downs, lambda now: now.done, WITHIN_S)
        assert (answers.refused, answers.failed) == (0, 0)
        lab.switch_off(broker)


@pytest.mark.long
def test_one_log_directory_fails_and_the_other_goes_on(start_lab: StartLab, tmp_path: Path) -> None:
    """The directory goes offline while a read on it is stalled; another broker leads its partition.

    Nothing of the lost partition is left, and the other directory's partition steps down later.
    """
    lab, control = with_two_directories(start_lab, tmp_path)
    with lab.writing(), lab.writing(OTHER), lab.bridge() as broker:
        lab.switch(broker, READ)
        with stalled_read(broker):
            lab.stays_whole(1.5)
            failing = control.arm(rule(Site.WRITE, Mode.FAIL))
            lab.await_other_leader()
        assert control.counters(failing).calls > 0
        lab.await_isr([2, 3])
        assert lab.leader(OTHER) == 1
        lab.await_isr(topic=OTHER)

        lab.switch(broker, STEP_DOWN)
        with stalled_read(broker, f"{OTHER}-0"):
            lab.await_other_leader(OTHER)
        lab.await_isr(topic=OTHER)
        wait_for(lambda: broker.counters().step_downs.done, bool, WITHIN_S)
        assert {line["topic"] for line in lab.events("step_down")} == {OTHER}
        lab.switch_off(broker)


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
