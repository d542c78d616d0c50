"""Estimate how far the nodes' clocks are from the harness's.

Events of different nodes are compared by their times, so a report must show how exact that is. A
node's time that was taken between two moments of the harness shows how far its clock is ahead,
with an error of half the time between them (Cristian's algorithm). Brokers give theirs as the
append times of records, in a topic that uses LogAppendTime; the controller gives its as the time
at which it created that topic.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME, KafkaError, KafkaException, Message, Producer

from insync.brokers.cluster.admin import create_topic
from insync.errors import InsyncError
from insync.nodes import CONTROLLER_ID

TOPIC: Final = "clocks"
ROUNDS: Final = 6  # the first one also connects
SECONDS: Final = 5.0
TICK_MS: Final = 1.0  # nodes give whole milliseconds, rounded down


@dataclass(frozen=True, slots=True)
class Reading:
    """A node's time, taken between two moments of the harness; all in ms since the epoch."""

    asked_ms: float
    node_ms: float
    answered_ms: float

    @property
    def ahead_ms(self) -> float:
        return self.node_ms + TICK_MS / 2 - (self.asked_ms + self.answered_ms) / 2

    @property
    def error_ms(self) -> float:
        """How wrong `ahead_ms` may be, in both directions."""
        return (self.answered_ms - self.asked_ms + TICK_MS) / 2


@dataclass(frozen=True, slots=True)
class Clocks:
    """The best reading of each broker, and the moments around the creation of the topic."""

    brokers: Mapping[int, Reading]
    asked_ms: float
    answered_ms: float

    def of_nodes(self, created_ms: float | None) -> dict[int, Reading]:
        """Return the reading of each node; `created_ms` is when the controller made the topic."""
        if created_ms is None:
            return dict(self.brokers)
        controller = Reading(self.asked_ms, created_ms, self.answered_ms)
        return {**self.brokers, CONTROLLER_ID: controller}


def read_clocks(bootstrap: str, brokers: Sequence[int]) -> Clocks | None:
    """Read the clocks of a running cluster's brokers; None if one does not serve requests."""
    asked_ms = _now_ms()
    try:
        make_topic(bootstrap, TOPIC, brokers)
        answered_ms = _now_ms()
        best = dict(zip(brokers, _best(bootstrap, TOPIC, len(brokers)), strict=True))
    except (InsyncError, KafkaException):
        return None  # what it shows is only how exact the times are
    return Clocks(best, asked_ms, answered_ms)


def make_topic(bootstrap: str, topic: str, brokers: Sequence[int]) -> None:
    """Create a topic that shows clocks, with a partition on each broker; raises InsyncError."""
    create_topic(
        bootstrap, topic, [[broker] for broker in brokers],
        {"message.timestamp.type": "LogAppendTime"}, within_s=SECONDS,
    )  # fmt: skip


def read_clock(bootstrap: str, topic: str) -> Reading | None:
    """Read the clock of the broker of such a topic; None if it does not serve requests."""
    try:
        return _best(bootstrap, topic, 1)[0]
    except (InsyncError, KafkaException):
        return None


def _best(bootstrap: str, topic: str, partitions: int) -> list[Reading]:
    """Return the reading of each partition with the smallest error; raises InsyncError."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": 1, "linger.ms": 0, "log_level": 0})
    return [
        min((_read(producer, topic, each) for _ in range(ROUNDS)), key=lambda one: one.error_ms)
        for each in range(partitions)
    ]


def _read(producer: Producer, topic: str, partition: int) -> Reading:
    """Produce a record and read its append time; raises InsyncError if there is none."""
    appended: list[float] = []

    def take(error: KafkaError | None, message: Message) -> None:
        kind, at_ms = message.timestamp()
        if error is None and kind == TIMESTAMP_LOG_APPEND_TIME:
            appended.append(float(at_ms))

    asked_ms = _now_ms()
    producer.produce(topic, b"", partition=partition, on_delivery=take)
    producer.flush(SECONDS)
    answered_ms = _now_ms()
    if not appended:
        raise InsyncError(f"topic {topic}: no append time of partition {partition}")
    return Reading(asked_ms, appended[0], answered_ms)


def created_ms(line: Mapping[str, Any]) -> float | None:
    """Return when the controller created the topic, if this line of isr.jsonl says that."""
    created = line.get("kind") == "partition" and line.get("topic") == TOPIC
    return float(line["t_ms"]) if created else None


def _now_ms() -> float:
    return time.time() * 1000
