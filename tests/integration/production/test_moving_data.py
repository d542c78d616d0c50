"""Followers that serve consumers, throttled replication, and what moves while a read is stalled."""

import json
import os
import time
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # not in its __all__
    AdminClient,
    NewPartitions,
)

from insync.arms import READ, REQUEST
from insync.brokers.cluster.admin import partitions, update_broker
from insync.brokers.cluster.node import NodeExtras
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
    stalled_read,
)
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
