"""Requests that go to one chosen broker, in bytes: those of the faults, and the frame of any.

A client library would pick the broker, batch and retry. Here it matters which broker is
asked, that nothing else is sent, and that every version from 2.8 to 4.4 understands it: the
request versions are the oldest that Kafka 4 still takes.
"""

import socket
import struct
from collections.abc import Sequence
from typing import Final

from insync.brokers.kafka.framed import exchange

FETCH: Final = (1, 4)
ELECT_LEADERS: Final = (43, 2)
ALTER_REASSIGNMENTS: Final = (45, 0)
NOT_CONTROLLER: Final = 41
CLIENT: Final = b"insync"
PREFERRED: Final = 0
_NO_TAGS: Final = b"\0"


def fetch(topic: str, partition: int) -> bytes:
    """Return a consumer's request for the first records of one partition, now or not at all."""
    body = struct.pack(">iiiib", -1, 0, 0, 1 << 20, 0)
    name = topic.encode()
    body += struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iiqi", 1, partition, 0, 1 << 20)
    return framed(FETCH, body, flexible=False)


def reassign(topic: str, partition: int, replicas: Sequence[int], timeout_ms: int) -> bytes:
    """Return the request to give one partition these replicas, in this order."""
    ids = _count(replicas) + b"".join(struct.pack(">i", replica) for replica in replicas)
    place = struct.pack(">i", partition) + ids + _NO_TAGS
    body = struct.pack(">i", timeout_ms) + _topics(topic, [place])
    return framed(ALTER_REASSIGNMENTS, body + _NO_TAGS, flexible=True)


def elect_preferred(topic: str, partitions: Sequence[int], timeout_ms: int) -> bytes:
    """Return the request to make each partition's first replica its leader."""
    numbers = [struct.pack(">i", partition) for partition in partitions]
    body = struct.pack(">b", PREFERRED) + _topics(topic, numbers) + struct.pack(">i", timeout_ms)
    return framed(ELECT_LEADERS, body + _NO_TAGS, flexible=True)


def connect(port: int, seconds: float) -> socket.socket:
    """Return a connection to the broker at a port of this host; raises OSError."""
    return socket.create_connection(("127.0.0.1", port), timeout=seconds)


def ask(port: int, request: bytes, seconds: float) -> int:
    """Send one flexible request and return the error code that the answer opens with.

    For the two requests above: both answers open with header, throttle time and error code.
    Raises OSError, also for an answer that does not come in time.
    """
    with connect(port, seconds) as broker:
        return int(struct.unpack_from(">ixih", exchange(broker, request))[2])


def framed(call: tuple[int, int], body: bytes, *, flexible: bool) -> bytes:
    """Put the header before a request and its length before both; one per connection.

    `call` is the request's key and version.
    """
    header = struct.pack(">hhih", *call, 1, len(CLIENT)) + CLIENT
    whole = header + (_NO_TAGS if flexible else b"") + body
    return struct.pack(">i", len(whole)) + whole


def _topics(topic: str, partitions: Sequence[bytes]) -> bytes:
    """Return a compact list of one topic with its partitions."""
    name = topic.encode()
    return (
        _varint(2) + _varint(len(name) + 1) + name
        + _count(partitions) + b"".join(partitions) + _NO_TAGS
    )  # fmt: skip


def _count(items: Sequence[object]) -> bytes:
    return _varint(len(items) + 1)  # compact lists count from one: zero is null


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
