"""Followers that serve consumers, throttled replication, and what moves while a read is stalled."""

from __future__ import annotations

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

from fault_runs import running
from insync.arms import READ, REQUEST
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.broker_configs import update
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from integration.production.checks import (
    ALL,
    GROUP,
    LAG,
    LAG_MS,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    StartCluster,
    Writer,
    bridge,
    check_step_down,
    isr,
    leader,
    of_type,
    server,
    stalled_read,
    stays_whole,
    switch,
    switch_off,
    with_pauses,
)
from waiting import wait_for

pytestmark = pytest.mark.cluster

RACKS = {number: NodeExtras(settings={"broker.rack": f"rack-{number}"}) for number in ALL}
RATE = 150_000
"""Bytes per second at which a leader may send to a new replica."""
HISTORY = 2_000_000
"""Bytes that a new replica has to fetch: at this rate several lag limits."""
PAIR = [1, 2]


def ports(cluster: LocalCluster) -> list[int]:
    """Return the brokers' ports."""
    return [cluster.nodes[number].port for number in ALL]


@pytest.mark.long
def test_consumers_read_from_followers(start: StartCluster, agent: AgentSpec) -> None:
    """A consumer's fetch at a follower makes no marks there, and a stalled leader keeps its ISR."""
    selector = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
    # Broker 3 may lead the topic of offsets. Without followers nobody fetches it from there.
    alone = {"offsets.topic.replication.factor": "1"}
    settings = {**LAG, **alone, "replica.selector.class": selector}
    cluster = start(agent=with_pauses(agent), settings=settings, extras=RACKS)
    create_topic(cluster.bootstrap, TOPIC, [ALL], {})
    writer = Writer(cluster.bootstrap, TOPIC)
    with writer.writing(), bridge(agent, 1) as broker, bridge(agent, 3) as follower:
        consumer, reads_from = rack_consumer(cluster, "rack-3")
        wait_for(reads_from, lambda now: now == 3, WITHIN_S)
        update(server(cluster, 3), 3, READ)
        for scope in (READ, REQUEST):
            switch(cluster, broker, scope)
            with stalled_read(broker):
                stays_whole(cluster, 2.5)
            assert reads_from() == 3
            switch_off(cluster, broker)
        consumer.close()
        assert follower.counters().marks_total == 0
        check_step_down(cluster, agent)
        assert follower.counters().errors == 0
    writer.check_all_are_there()


def rack_consumer(cluster: LocalCluster, rack: str) -> tuple[Consumer, Callable[[], int]]:
    """Return a consumer of partition 0 in a rack, and what lets it read and names its broker."""
    brokers = [-1]

    def seen(statistics: str) -> None:
        brokers.append(json.loads(statistics)["topics"][TOPIC]["partitions"]["0"]["broker"])

    consumer = Consumer(
        {"bootstrap.servers": cluster.bootstrap, "client.rack": rack, "group.id": GROUP,
         "enable.auto.commit": False, "statistics.interval.ms": 100, "stats_cb": seen}
    )  # fmt: skip
    consumer.assign([TopicPartition(TOPIC, 0, 0)])

    def reads_from() -> int:
        consumer.consume(500, 0.2)
        return brokers[-1]

    return consumer, reads_from


@pytest.mark.long
def test_a_topic_grows_and_is_reassigned_while_a_read_is_stalled(
    start: StartCluster, agent: AgentSpec
) -> None:
    """New partitions work and the new replica joins the ISR while another one's read is stalled."""
    cluster = start(agent=with_pauses(agent), settings=LAG)
    create_topic(cluster.bootstrap, TOPIC, [PAIR], {})
    writer = Writer(cluster.bootstrap, TOPIC)
    grown = {1: (2, [2, 3]), 2: (3, [1, 3])}
    with writer.writing(), bridge(agent, 1) as broker:
        switch(cluster, broker, READ)
        with stalled_read(broker):
            admin = AdminClient({"bootstrap.servers": server(cluster, 2), "log_level": 0})
            new = NewPartitions(TOPIC, 3, replica_assignment=[[2, 3], [3, 1]])
            admin.create_partitions([new])[TOPIC].result(WITHIN_S)
            wait_for(
                lambda: partitions(server(cluster, 2), TOPIC),
                lambda now: {each: now.get(each) for each in grown} == grown,
                WITHIN_S,
            )
            running(cluster).assign(TOPIC, 0, ALL)
            until = time.monotonic() + 2.5 * LAG_MS / 1_000
            while time.monotonic() < until:
                assert set(PAIR) <= set(isr(cluster))
            wait_for(lambda: isr(cluster), lambda now: now == ALL, WITHIN_S)
        stays_whole(cluster, 1.0)
        switch_off(cluster, broker)
        check_step_down(cluster, agent)
    writer.check_all_are_there()


@pytest.mark.long
def test_a_throttled_new_replica_is_no_reason_to_step_down(
    start: StartCluster, agent: AgentSpec
) -> None:
    """It is slow for many times T because of a replication quota, and not a member of the ISR."""
    cluster = start(agent=with_pauses(agent), settings=LAG)
    throttled = {"leader.replication.throttled.replicas": "0:1"}
    create_topic(cluster.bootstrap, TOPIC, [PAIR], throttled)
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
    for _ in range(HISTORY // 10_000):
        producer.produce(TOPIC, os.urandom(10_000), partition=0)
    assert producer.flush(WITHIN_S) == 0
    update(server(cluster, 1), 1, {"leader.replication.throttled.rate": str(RATE)})
    with bridge(agent, 1) as broker:
        switch(cluster, broker, STEP_DOWN)
        began = time.monotonic()
        running(cluster).assign(TOPIC, 0, ALL)
        while (now := isr(cluster)) != ALL:
            assert now == PAIR
            assert leader(cluster) == 1
            assert time.monotonic() < began + 2 * WITHIN_S
        assert time.monotonic() - began > 1.5 * LAG_MS / 1_000, "the quota was in force"
        assert not of_type(agent, 1, "step_down")
        assert not of_type(agent, 1, "leader_slow")
        switch_off(cluster, broker)
        check_step_down(cluster, agent)
