"""Messages with their length before them, as Kafka and ZooKeeper send them."""

import socket
import struct


def exchange(peer: socket.socket, message: bytes) -> bytes:
    """Send a message that has its length before it; return the answer without its own.

    Raises OSError, also for an answer that does not come in time.
    """
    peer.sendall(message)
    (size,) = struct.unpack(">i", read(peer, 4))
    return read(peer, size)


def read(peer: socket.socket, size: int) -> bytes:
    """Return the next bytes, so many; raises OSError if they do not come."""
    got = b""
    while len(got) < size:
        part = peer.recv(size - len(got))
        if not part:
            raise ConnectionError("it closed the connection")
        got += part
    return got
