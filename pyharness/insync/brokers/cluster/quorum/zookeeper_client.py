"""Check whether a ZooKeeper serves requests, and delete the registration of a dead broker.

A killed broker's registration lasts as long as its session, and during that time a new process
with the same id exits at once. A broker that is shut down cleanly removes its registration.
"""

import socket
import struct

from insync.brokers.kafka.ports import LOOPBACK
from insync.brokers.kafka.wire import exchange, read
from insync.errors import InsyncError

_WITHIN_S = 5.0
_SESSION_MS = 5_000
_DELETE, _CLOSE = 2, -11
_DONE, _NO_NODE = 0, -101
_ANSWER_WITHIN_S = 0.5
# The only command without a session that every version allows by default.
_STATUS, _SERVING = b"srvr", b"Zookeeper version:"


def serves(port: int) -> bool:
    """Return whether a ZooKeeper is ready for sessions; listening on its port is not enough."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_ANSWER_WITHIN_S) as server:
            server.sendall(_STATUS)
            return read(server, len(_SERVING)) == _SERVING
    except OSError:
        return False


def forget_broker(port: int, broker: int) -> None:
    """Delete the registration of `broker`, if there is one; raises InsyncError if refused."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_WITHIN_S) as server:
            _ask(server, struct.pack(">iqiq", 0, 0, _SESSION_MS, 0) + _buffer(bytes(16)))
            path = _buffer(f"/brokers/ids/{broker}".encode())
            whatever_version = struct.pack(">i", -1)
            answer = _ask(server, struct.pack(">ii", 1, _DELETE) + path + whatever_version)
            _ask(server, struct.pack(">ii", 2, _CLOSE))
    except OSError as error:
        raise InsyncError(
            f"zookeeper: cannot delete the registration of broker {broker}: {error}"
        ) from error
    code = struct.unpack_from(">iqi", answer)[2]
    if code not in (_DONE, _NO_NODE):
        raise InsyncError(
            f"zookeeper: cannot delete the registration of broker {broker}: error {code}"
        )


def _ask(server: socket.socket, request: bytes) -> bytes:
    return exchange(server, _buffer(request))


def _buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content
