"""Exchange length-prefixed messages, as Kafka and ZooKeeper use them."""

import socket
import struct


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
