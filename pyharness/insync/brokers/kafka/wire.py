"""Encode requests for one chosen broker: the requests of the faults, and the frame of any.

A client library would choose the broker, batch and retry. Here the broker is fixed, nothing else
may be sent, and every version from 2.8 to 4.4 must understand the request: the request versions
are the oldest that Kafka 4 still accepts. Brokers learn of a new topic one by one, so the only way
to find out whether all of them know it is to ask each one for its metadata.
"""

import socket
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final


def exchange(peer: socket.socket, message: bytes) -> bytes:
    """Send a length-prefixed message; return the answer without its length prefix.

    Raises OSError, also if no answer comes in time.
    """
    peer.sendall(message)
    (size,) = struct.unpack(">i", read(peer, 4))
    return read(peer, size)


def read(peer: socket.socket, size: int) -> bytes:
    """Read exactly `size` bytes; raises OSError if fewer arrive."""
    got = b""
    while len(got) < size:
        part = peer.recv(size - len(got))
        if not part:
            raise ConnectionError("the peer closed the connection")
        got += part
    return got


class Fields:
    """Reads the fields of a message in order; raises struct.error if it is truncated.

    `at` is where the next one begins.
    """

    def __init__(self, message: bytes, at: int = 0) -> None:
        self._message = message
        self.at = at

    def take(self, kinds: str) -> tuple[Any, ...]:
        """Return the next fields; `kinds` are format letters of `struct`."""
        found = struct.unpack_from(f">{kinds}", self._message, self.at)
        self.at += struct.calcsize(f">{kinds}")
        return found

    def skip(self, size: int) -> None:
        self.take(f"{size}x")

    def varint(self) -> int:
        """Return the next field, a number of 7 bits a byte, the lowest first."""
        value = shift = 0
        while (byte := int(self.take("B")[0])) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def count(self) -> int:
        return int(self.take("i")[0])

    def length(self) -> int:
        """Return the next compact length, of which one less is meant: -1 for null."""
        return self.varint() - 1

    def text(self) -> str:
        """Return the next compact text; empty for null."""
        return bytes(self.take(f"{max(0, self.length())}s")[0]).decode()

    def content(self, length: str) -> bytes | None:
        """Return bytes after their length, of the kind `length`; None if that is below 0."""
        (size,) = self.take(length)
        return None if size < 0 else bytes(self.take(f"{size}s")[0])


FETCH: Final = (1, 4)
FETCH_IN_SESSION: Final = (1, 7)  # the first version with fetch sessions (KIP-227)
ELECT_LEADERS: Final = (43, 2)
ALTER_REASSIGNMENTS: Final = (45, 0)
LIST_REASSIGNMENTS: Final = (46, 0)
LIST_TRANSACTIONS: Final = (66, 0)
NOT_CONTROLLER: Final = 41
CLIENT: Final = b"insync"
PREFERRED: Final = 0
UNCLEAN: Final = 1
_NO_TAGS: Final = b"\0"


def fetch(topic: str, partition: int, size: int = 1 << 20) -> bytes:
    """Return a consumer's fetch of the first bytes of one partition, without waiting time."""
    body = struct.pack(">iiiib", -1, 0, 0, size, 0)
    name = topic.encode()
    body += struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iiqi", 1, partition, 0, size)
    return framed(FETCH, body, flexible=False)


def fetch_in_new_session(topic: str, partition: int) -> bytes:
    """Return a consumer's fetch that asks for a fetch session, without waiting time."""
    name = topic.encode()
    body = struct.pack(">iiiibii", -1, 0, 0, 1, 0, 0, 0)
    body += struct.pack(">ih", 1, len(name)) + name
    body += struct.pack(">iiqqi", 1, partition, 0, -1, 1)
    return framed(FETCH_IN_SESSION, body + struct.pack(">i", 0), flexible=False)


def reassign(topic: str, partition: int, replicas: Sequence[int] | None, timeout_ms: int) -> bytes:
    """Return the request that assigns these replicas, in this order, to one partition.

    None cancels the reassignment that is in progress.
    """
    ids = b"\0" if replicas is None else _ids(replicas)
    place = struct.pack(">i", partition) + ids + _NO_TAGS
    body = struct.pack(">i", timeout_ms) + _topics(topic, [place])
    return framed(ALTER_REASSIGNMENTS, body + _NO_TAGS, flexible=True)


def elect(topic: str, partitions: Sequence[int], timeout_ms: int, how: int = PREFERRED) -> bytes:
    """Return the request that elects a leader of each partition.

    It is the first replica, or, if `how` is UNCLEAN and there is no leader, the first that lives.
    """
    numbers = [struct.pack(">i", partition) for partition in partitions]
    body = struct.pack(">b", how) + _topics(topic, numbers) + struct.pack(">i", timeout_ms)
    return framed(ELECT_LEADERS, body + _NO_TAGS, flexible=True)


def list_reassignments(topic: str, partitions: Sequence[int], timeout_ms: int) -> bytes:
    listed = varint(2) + _text(topic) + _ids(partitions) + _NO_TAGS
    body = struct.pack(">i", timeout_ms) + listed + _NO_TAGS
    return framed(LIST_REASSIGNMENTS, body, flexible=True)


def adding(answer: bytes) -> dict[int, list[int]]:
    """Return which brokers are being added to which partition, of an answer to the request above.

    Raises OSError if it is an error.
    """
    fields = Fields(answer)
    *_, code = fields.take("ixih")
    if code != 0:
        raise ConnectionError(f"error {code}: {fields.text()}")
    fields.text()
    found = {}
    for _ in range(fields.length()):
        fields.text()
        for _ in range(fields.length()):
            (partition,) = fields.take("i")
            # All replicas, those that are added, and those that are removed.
            _, added, _ = [fields.take(f"{fields.length()}i") for _ in range(3)]
            fields.take("x")
            found[int(partition)] = list(added)
        fields.take("x")
    return found


def connect(port: int, seconds: float) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=seconds)


def call(port: int, request: bytes, seconds: float) -> bytes:
    """Send one request to the broker at a port of this host; return the answer; raises OSError."""
    with connect(port, seconds) as broker:
        return exchange(broker, request)


def ask(port: int, request: bytes, seconds: float) -> int:
    """Send one flexible request and return the error code at the start of the answer.

    Use it for the two requests above: both answers begin with header, throttle time and error
    code. Raises OSError, also if no answer comes in time.
    """
    return int(struct.unpack_from(">ixih", call(port, request, seconds))[2])


def transactions(port: int, states: Sequence[str], seconds: float) -> list[tuple[str, str]]:
    """Return id and state of the transactions that a broker coordinates and that are in `states`.

    Raises OSError without an answer; before 3.0 brokers close the connection.
    """
    names = b"".join(map(_text, states))
    request = framed(LIST_TRANSACTIONS, _count(states) + names + b"\1" + _NO_TAGS, flexible=True)
    fields = Fields(call(port, request, seconds))
    fields.take("ixih")  # header, throttle time, error
    for _ in range(fields.length()):
        fields.text()
    found = []
    for _ in range(fields.length()):
        name = fields.text()
        fields.take("q")
        found.append((name, fields.text()))
        fields.take("x")
    return found


def framed(call: tuple[int, int], body: bytes, *, flexible: bool) -> bytes:
    """Add the header and the length prefix to a request; only one may go on a connection.

    `call` is the API key and version of the request.
    """
    header = struct.pack(">hhih", *call, 1, len(CLIENT)) + CLIENT
    whole = header + (_NO_TAGS if flexible else b"") + body
    return struct.pack(">i", len(whole)) + whole


def _topics(topic: str, partitions: Sequence[bytes]) -> bytes:
    return varint(2) + _text(topic) + _count(partitions) + b"".join(partitions) + _NO_TAGS


def _text(text: str) -> bytes:
    return _count(text.encode()) + text.encode()


def _ids(numbers: Sequence[int]) -> bytes:
    return _count(numbers) + struct.pack(f">{len(numbers)}i", *numbers)


def _count(items: Sequence[object]) -> bytes:
    return varint(len(items) + 1)  # compact lists count from one: zero is null


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


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


def ask_metadata(server: str, topic: str | None, seconds: float) -> Metadata:
    """Return the view of the broker at `server` (HOST:PORT).

    Raises OSError if no answer comes in time or the answer is truncated.
    """
    host, _, port = server.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as broker:
        return parse_metadata(exchange(broker, metadata_request(topic)))


def metadata_request(topic: str | None) -> bytes:
    """Return the request for one topic, or for no topic."""
    names = [] if topic is None else [topic.encode()]
    listed = b"".join(struct.pack(">h", len(name)) + name for name in names)
    return framed(METADATA, struct.pack(">i", len(names)) + listed + b"\0", flexible=False)


def parse_metadata(answer: bytes) -> Metadata:
    """Parse an answer to `metadata_request`; raises ConnectionError if it is truncated."""
    fields = Fields(answer)
    brokers: list[int] = []
    states: State = {}
    replicas: Replicas = {}
    try:
        fields.take("ii")  # correlation, throttle time
        for _ in range(fields.count()):
            brokers.append(fields.count())
            fields.content("h")  # host
            fields.take("i")  # port
            fields.content("h")  # rack
        fields.content("h")  # the cluster's id
        fields.take("i")  # the controller
        for _ in range(fields.count()):
            fields.take("h")  # the topic's error: an unknown one has no partitions
            fields.content("h")
            fields.take("b")  # whether it is internal
            for _ in range(fields.count()):
                _, number, leader = fields.take("hii")
                replicas[number] = list(fields.take(f"{fields.count()}i"))
                states[number] = leader, sorted(fields.take(f"{fields.count()}i"))
    except struct.error as error:
        raise ConnectionError("the broker's answer is truncated") from error
    return Metadata(sorted(brokers), dict(sorted(states.items())), replicas)
