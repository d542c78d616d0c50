"""Exchange length-prefixed messages, as Kafka and ZooKeeper use them, and read their fields."""

import socket
import struct
from typing import Any


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
    """Reads the fields of a message in order; raises struct.error if it is truncated."""

    def __init__(self, message: bytes) -> None:
        self._message = message
        self._at = 0

    def take(self, kinds: str) -> tuple[Any, ...]:
        """Return the next fields; `kinds` are format letters of `struct`."""
        found = struct.unpack_from(f">{kinds}", self._message, self._at)
        self._at += struct.calcsize(f">{kinds}")
        return found

    def count(self) -> int:
        """Return the next field, a number of 4 bytes."""
        return int(self.take("i")[0])

    def content(self, length: str) -> bytes | None:
        """Return bytes after their length, of the kind `length`; None if that is below 0."""
        (size,) = self.take(length)
        return None if size < 0 else bytes(self.take(f"{size}s")[0])
