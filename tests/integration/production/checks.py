"""What every test of a production configuration does: write, stall a read, look at the ISR.

The brokers run with pause points, so a read is stalled over the bridge. The features are switched
by config updates, so one cluster shows stock behaviour, both scopes and a step-down.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from event_lines import read_lines
from insync.arms import FEATURE, READ, REQUEST, SCOPE
from insync.brokers.cluster.admin import partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.broker_configs import in_force, update
from insync.brokers.cluster.local import LocalCluster
from insync_bridge import BridgeClient
from waiting import wait_for

LAG_MS = 2_000
LAG = {"replica.lag.time.max.ms": str(LAG_MS)}
T = "leader.fetch.process.time.max.ms"
STEP_DOWN = {**REQUEST, T: "500"}
OFF: Mapping[str, str | None] = {FEATURE: None, SCOPE: None, T: None}
TOPIC = "t"
GROUP = "none"
ALL = [1, 2, 3]
WITHIN_S = 60.0
HELD_MS = 60_000
"""How long a read stays stalled at most; each test releases it earlier."""

StartCluster = Callable[..., LocalCluster]
Security = Mapping[str, str]


def with_pauses(agent: AgentSpec) -> AgentSpec:
    """Return the agent with its pause points."""
    return replace(agent, holds=True)


def server(cluster: LocalCluster, broker: int) -> str:
    """Return where a broker serves clients."""
    return f"127.0.0.1:{cluster.nodes[broker].port}"


def isr(cluster: LocalCluster, asked: int = 2, topic: str = TOPIC, partition: int = 0) -> list[int]:
    """Return the ISR of a partition, as broker `asked` knows it."""
    return partitions(server(cluster, asked), topic)[partition][1]


def leader(cluster: LocalCluster, asked: int = 2, topic: str = TOPIC, partition: int = 0) -> int:
    """Return the leader of a partition, as broker `asked` knows it."""
    return partitions(server(cluster, asked), topic)[partition][0]


def bridge(agent: AgentSpec, broker: int) -> BridgeClient:
    """Connect with the bridge of a broker."""
    return BridgeClient.connect(agent.bridge_dir / f"bridge-{broker}.json")


def of_type(agent: AgentSpec, node: int, name: str) -> list[dict[str, object]]:
    """Return the events of one type of a node."""
    return [line for line in read_lines(agent.events_file(node)) if line["type"] == name]


class Writer:
    """Writes numbered records to partition 0 of a topic and knows which of them were acked."""

    def __init__(self, bootstrap: str, topic: str, security: Security | None = None) -> None:
        self._client = {"bootstrap.servers": bootstrap, "log_level": 0, **(security or {})}
        self._topic = topic
        self._ended = threading.Event()
        self.acked: set[int] = set()
        self.failed: list[str] = []

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write until the block ends, then wait until every record is acked or has failed."""
        durable = {"acks": "all", "enable.idempotence": True, "linger.ms": 0}
        producer = Producer({**self._client, **durable})
        thread = threading.Thread(target=self._write, args=(producer,))
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()
            producer.flush(WITHIN_S)

    def _write(self, producer: Producer) -> None:
        number = 0
        while not self._ended.wait(0.02):
            value = str(number).encode()
            producer.produce(self._topic, value, partition=0, on_delivery=self._delivered)
            producer.poll(0)
            number += 1

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        value = message.value()
        if error is None and value is not None:
            self.acked.add(int(value))
        else:
            self.failed.append(str(error))

    def check_all_are_there(self) -> None:
        """Read the partition from its start to its end: no acked record is missing."""
        settings = {**self._client, "group.id": GROUP, "enable.auto.commit": False}
        consumer = Consumer(settings)
        _, end = consumer.get_watermark_offsets(TopicPartition(self._topic, 0), timeout=WITHIN_S)
        consumer.assign([TopicPartition(self._topic, 0, 0)])
        seen: set[int] = set()
        until, at = time.monotonic() + WITHIN_S, 0
        while at < end and time.monotonic() < until:
            for message in consumer.consume(500, 0.2):
                assert message.error() is None, message.error()
                value, offset = message.value(), message.offset()
                assert value is not None
                assert offset is not None
                seen.add(int(value))
                at = offset + 1
        consumer.close()
        assert len(self.acked) > 10, f"{len(self.acked)} acks, failures: {self.failed[:3]}"
        assert not self.acked - seen


def stays_whole(
    cluster: LocalCluster, lags: float, members: list[int] = ALL, topic: str = TOPIC
) -> None:
    """Check for so many lag limits that no member leaves the ISR."""
    until = time.monotonic() + lags * LAG_MS / 1_000
    while time.monotonic() < until:
        assert isr(cluster, topic=topic) == members
        time.sleep(0.05)


@contextmanager
def stalled_read(broker: BridgeClient, partition: str = f"{TOPIC}-0") -> Iterator[None]:
    """Stall the next read for a follower at its leader until the block ends."""
    broker.hold("leader-read", partition=partition, max_ms=HELD_MS)
    try:
        wait_for(lambda: broker.holds()["leader-read"].held, bool, WITHIN_S)
        yield
    finally:
        broker.release("leader-read")


def switch(cluster: LocalCluster, broker: BridgeClient, settings: Mapping[str, str]) -> None:
    """Update a broker's configs and wait until each follower has fetched under them.

    Fetches that are pending during the update end as they began.
    """
    number = broker.broker_id()
    at = server(cluster, number)
    update(at, number, settings)
    wait_for(lambda: in_force(at, number, settings), lambda now: now == len(settings), WITHIN_S)
    before = broker.counters().marks_total
    wait_for(lambda: broker.counters().marks_total, lambda now: now > before + 10, WITHIN_S)


def switch_off(cluster: LocalCluster, broker: BridgeClient) -> None:
    """Delete the configs again; check that nothing of a pending fetch is left, and no error."""
    number = broker.broker_id()
    update(server(cluster, number), number, OFF)
    wait_for(lambda: broker.settings()[FEATURE], lambda on: str(on).lower() == "false", WITHIN_S)
    wait_for(lambda: broker.counters().pending_now, lambda pending: pending == 0, WITHIN_S)
    assert broker.counters().errors == 0, broker.counters().last_error


def check_scopes(
    cluster: LocalCluster, agent: AgentSpec, members: list[int] = ALL, topic: str = TOPIC
) -> None:
    """Broker 1 leads: off, a stalled read costs it its followers; in both scopes it keeps them.

    After each scope nothing of a pending fetch is left. Someone must write meanwhile.
    """
    with bridge(agent, 1) as broker:
        with stalled_read(broker, f"{topic}-0"):
            wait_for(lambda: isr(cluster, topic=topic), lambda now: now != members, WITHIN_S)
        wait_for(lambda: isr(cluster, topic=topic), lambda now: now == members, WITHIN_S)
        for scope in (READ, REQUEST):
            switch(cluster, broker, scope)
            held = broker.counters().holds_granted
            with stalled_read(broker, f"{topic}-0"):
                stays_whole(cluster, 2.5, members, topic)
            stays_whole(cluster, 1.0, members, topic)
            assert broker.counters().holds_granted > held, scope
            switch_off(cluster, broker)


def check_step_down(
    cluster: LocalCluster, agent: AgentSpec, members: list[int] = ALL, topic: str = TOPIC
) -> None:
    """A read stalls at broker 1, which leads: another broker leads, and 1 follows it at the end."""
    with bridge(agent, 1) as broker:
        switch(cluster, broker, STEP_DOWN)
        before = broker.counters().step_downs.done
        with stalled_read(broker, f"{topic}-0"):
            wait_for(lambda: leader(cluster, topic=topic), lambda now: now != 1, WITHIN_S)
        wait_for(lambda: isr(cluster, topic=topic), lambda now: now == members, WITHIN_S)
        after = wait_for(
            lambda: broker.counters().step_downs, lambda now: now.done > before, WITHIN_S
        )
        assert (after.refused, after.failed) == (0, 0)
        switch_off(cluster, broker)
