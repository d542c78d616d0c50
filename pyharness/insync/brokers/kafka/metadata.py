"""What one broker knows of the cluster: its own answer to a Metadata request.

A client library asks whom it likes, also when it was given one address only: librdkafka leaves
that broker as soon as it has learned of the others. Brokers hear of a new topic one by one, so
whether every one of them knows it can only be asked of each.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from insync.brokers.kafka import wire
from insync.brokers.kafka.framed import exchange

METADATA: Final = (3, 4)
"""The first version whose asking makes no topic; brokers from 1.1 to 4.4 answer it."""

# Per partition: its leader (-1 for none) and the sorted ISR.
State = dict[int, tuple[int, list[int]]]


@dataclass(frozen=True, slots=True)
class Metadata:
    """The brokers that a broker lists, and the state of the topic that it was asked about.

    On ZooKeeper the controller is listed too, which is a broker there. Of a topic that the
    broker does not know there are no partitions.
    """

    brokers: list[int]
    partitions: State


def ask(server: str, topic: str | None, seconds: float) -> Metadata:
    """Return what the broker at `server` (HOST:PORT) itself knows.

    Raises OSError without an answer in time, or for one that breaks off.
    """
    host, _, port = server.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as broker:
        return parse(exchange(broker, request(topic)))


def request(topic: str | None) -> bytes:
    """Return the request about one topic, or about none."""
    names = [] if topic is None else [topic.encode()]
    listed = b"".join(struct.pack(">h", len(name)) + name for name in names)
    return wire.framed(METADATA, struct.pack(">i", len(names)) + listed + b"\0", flexible=False)


def parse(answer: bytes) -> Metadata:
    """Read an answer to `request`; raises ConnectionError for one that breaks off."""
    fields = _Fields(answer)
    fields.take("ii")  # correlation, throttle time
    brokers = sorted([_broker(fields) for _ in fields.each()])
    fields.text()  # the cluster's id
    fields.take("i")  # the controller
    states: State = {}
    for _ in fields.each():
        fields.take("h")  # the topic's error: an unknown one has no partitions
        fields.text()
        fields.take("b")  # whether it is internal
        states |= dict(sorted([_partition(fields) for _ in fields.each()]))
    return Metadata(brokers, states)


def _broker(fields: _Fields) -> int:
    (number,) = fields.take("i")
    fields.text()  # host
    fields.take("i")  # port
    fields.text()  # rack
    return int(number)


def _partition(fields: _Fields) -> tuple[int, tuple[int, list[int]]]:
    _, number, leader = fields.take("hii")
    for _ in fields.each():
        fields.take("i")  # a replica
    return number, (leader, sorted([fields.take("i")[0] for _ in fields.each()]))


class _Fields:
    """The fields of an answer, taken one after the other."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._at = 0

    def take(self, kinds: str) -> tuple[Any, ...]:
        """Return the next fields, of these kinds (struct's letters)."""
        try:
            found = struct.unpack_from(f">{kinds}", self._answer, self._at)
        except struct.error as error:
            raise ConnectionError("the broker's answer breaks off") from error
        self._at += struct.calcsize(f">{kinds}")
        return found

    def text(self) -> None:
        """Pass over a text, or over none."""
        (length,) = self.take("h")
        self.take(f"{max(length, 0)}s")

    def each(self) -> Iterator[int]:
        """Return one number for each item of the list that begins here."""
        (count,) = self.take("i")
        return iter(range(count))
