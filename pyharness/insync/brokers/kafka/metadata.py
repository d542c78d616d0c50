"""Ask one broker for its own view of the cluster, with a Metadata request.

A client library may query any broker, even if it was given one address: librdkafka leaves that
broker as soon as it knows the others. Brokers learn of a new topic one by one, so the only way
to find out whether all of them know it is to ask each one.
"""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass
from typing import Final

from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import Fields, exchange

METADATA: Final = (3, 4)
"""API key and the first version that can ask without creating topics; 1.1 to 4.4 answer it."""

# Per partition: its leader (-1 for none) and the sorted ISR.
State = dict[int, tuple[int, list[int]]]
# Per partition: its replicas, also those that are still being added.
Replicas = dict[int, list[int]]


@dataclass(frozen=True, slots=True)
class Metadata:
    """The brokers that a broker lists, and the state and replicas of the topic in the request.

    On ZooKeeper the list includes the controller, which is a broker there. A topic that the
    broker does not know has no partitions.
    """

    brokers: list[int]
    partitions: State
    replicas: Replicas


def ask(server: str, topic: str | None, seconds: float) -> Metadata:
    """Return the view of the broker at `server` (HOST:PORT).

    Raises OSError if no answer comes in time or the answer is truncated.
    """
    host, _, port = server.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as broker:
        return parse(exchange(broker, request(topic)))


def request(topic: str | None) -> bytes:
    """Return the request for one topic, or for no topic."""
    names = [] if topic is None else [topic.encode()]
    listed = b"".join(struct.pack(">h", len(name)) + name for name in names)
    return wire.framed(METADATA, struct.pack(">i", len(names)) + listed + b"\0", flexible=False)


def parse(answer: bytes) -> Metadata:
    """Parse an answer to `request`; raises ConnectionError if it is truncated."""
    try:
        return _parsed(Fields(answer))
    except struct.error as error:
        raise ConnectionError("the broker's answer is truncated") from error


def _parsed(fields: Fields) -> Metadata:
    fields.take("ii")  # correlation, throttle time
    brokers = sorted([_broker(fields) for _ in range(fields.count())])
    fields.content("h")  # the cluster's id
    fields.take("i")  # the controller
    states: State = {}
    replicas: Replicas = {}
    for _ in range(fields.count()):
        fields.take("h")  # the topic's error: an unknown one has no partitions
        fields.content("h")
        fields.take("b")  # whether it is internal
        for number, leader, assigned, isr in sorted(
            [_partition(fields) for _ in range(fields.count())]
        ):
            states[number], replicas[number] = (leader, isr), assigned
    return Metadata(brokers, states, replicas)


def _broker(fields: Fields) -> int:
    (number,) = fields.take("i")
    fields.content("h")  # host
    fields.take("i")  # port
    fields.content("h")  # rack
    return int(number)


def _partition(fields: Fields) -> tuple[int, int, list[int], list[int]]:
    _, number, leader = fields.take("hii")
    replicas = list(fields.take(f"{fields.count()}i"))
    return number, leader, replicas, sorted(fields.take(f"{fields.count()}i"))
