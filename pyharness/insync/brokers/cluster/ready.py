"""Wait until every broker of a cluster serves requests and lists every other broker.

Without KRaft, wait first for the ZooKeeper and for the controller.
"""

import socket
import struct
import time
from collections.abc import Sequence
from pathlib import Path

from insync.brokers.cluster.node import Node
from insync.brokers.cluster.quorum.zookeeper_log import CONTROLLER, changes
from insync.brokers.kafka import process
from insync.brokers.kafka.ports import LOOPBACK
from insync.brokers.kafka.wire import ask_metadata, exchange, read
from insync.errors import InsyncError

_POLL_S = 0.02
_ANSWER_WITHIN_S = 0.5
_PORT_TAKEN = "Address already in use"


class PortTakenError(InsyncError):
    """Another process took a node's port after the port was found free."""


def await_ready(nodes: Sequence[Node], within_s: float) -> None:
    """Wait until each broker lists all brokers; no broker lists a fenced one.

    Raises PortTakenError or InsyncError at once when a node ends, with the errors in its log, and
    InsyncError with the last state seen after `within_s` seconds.
    """
    brokers = [node for node in nodes if node.role == "broker"]
    everyone = sorted(broker.id for broker in brokers)
    until = time.monotonic() + within_s
    for broker in brokers:
        while (seen := _listed(broker.port, everyone)) != everyone:
            _wait_on(nodes, until, f"broker {broker.id} lists {seen}, expected {everyone}")


def await_zookeeper(node: Node, within_s: float) -> None:
    """Wait until the ZooKeeper `node` serves requests; raises as await_ready does.

    It begins to listen a moment earlier, and refuses clients until it serves.
    """
    until = time.monotonic() + within_s
    while not serves(node.port):
        _wait_on([node], until, "the ZooKeeper does not serve")


def await_controller(zookeeper: Node, nodes: Sequence[Node], within_s: float) -> None:
    """Wait until a broker has become the controller; raises as await_ready does."""
    until = time.monotonic() + within_s
    while not _has_controller(zookeeper.transaction_log):
        _wait_on(nodes, until, "no broker became the controller")


def _has_controller(log: Path) -> bool:
    # The log has no file before the first change.
    return any(log.glob("log.*")) and any(each.path == CONTROLLER for each in changes(log))


def _listed(port: int, wanted: Sequence[int]) -> list[int] | str:
    """Return which of the `wanted` brokers the broker at `port` lists, or why it did not answer."""
    try:
        seen = ask_metadata(f"{LOOPBACK}:{port}", None, _ANSWER_WITHIN_S)
    except OSError as error:
        return f"nothing ({error})"
    return sorted(set(wanted) & set(seen.brokers))


def _wait_on(nodes: Sequence[Node], until: float, last: str) -> None:
    """Sleep until the next check; raise if a node has ended or the time is up."""
    for node in nodes:
        code = node.process.poll()
        if code is not None:
            message = process.complaint(node.log)
            kind = PortTakenError if _PORT_TAKEN in message else InsyncError
            raise kind(f"{node.role} {node.id}: ended with {code} while it started: {message}")
    if time.monotonic() > until:
        raise InsyncError(f"cluster: not ready in time: {last}")
    time.sleep(_POLL_S)


_WITHIN_S = 5.0
_SESSION_MS = 5_000
_DELETE, _CLOSE = 2, -11
_DONE, _NO_NODE = 0, -101
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
        code = struct.unpack_from(">iqi", answer)[2]
        if code not in (_DONE, _NO_NODE):
            raise ConnectionError(f"error {code}")
    except OSError as error:
        raise InsyncError(
            f"zookeeper: cannot delete the registration of broker {broker}: {error}"
        ) from error


def _ask(server: socket.socket, request: bytes) -> bytes:
    return exchange(server, _buffer(request))


def _buffer(content: bytes) -> bytes:
    return struct.pack(">i", len(content)) + content
