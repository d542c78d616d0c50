"""Wait until every broker of a cluster serves, and sees every other one unfenced.

Where they need one, wait for a ZooKeeper before, and for the controller that it knows.
"""

import socket
import time
from collections.abc import Sequence
from pathlib import Path

from insync.brokers.cluster.node import Node
from insync.brokers.cluster.quorum.zookeeper_client import serves
from insync.brokers.cluster.quorum.zookeeper_log import changes
from insync.brokers.cluster.quorum.zookeeper_records import CONTROLLER
from insync.brokers.kafka import metadata, process
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InsyncError

_POLL_S = 0.02
_ANSWER_WITHIN_S = 0.5
_PORT_TAKEN = "Address already in use"


class PortTakenError(InsyncError):
    """A node found its port taken by somebody else since the port was found free."""


def await_ready(nodes: Sequence[Node], within_s: float) -> None:
    """Return when each broker by itself lists all brokers; a fenced one is listed by none.

    Raises PortTakenError or InsyncError at once when a node ends, with what its log says, and
    InsyncError with the last state seen after `within_s`.
    """
    brokers = [node for node in nodes if node.role == "broker"]
    everyone = sorted(broker.id for broker in brokers)
    until = time.monotonic() + within_s
    for broker in brokers:
        while not _listens(broker.port):
            _wait_on(nodes, until, f"broker {broker.id} does not listen")
        while (seen := _listed(broker.port, everyone)) != everyone:
            _wait_on(nodes, until, f"broker {broker.id} lists {seen}, expected {everyone}")


def await_zookeeper(node: Node, within_s: float) -> None:
    """Return when the ZooKeeper `node` serves; raises as await_ready does.

    It listens a moment earlier, and sends away who connects then.
    """
    until = time.monotonic() + within_s
    while not serves(node.port):
        _wait_on([node], until, "the ZooKeeper does not serve")


def await_controller(zookeeper: Node, nodes: Sequence[Node], within_s: float) -> None:
    """Return when a broker holds the controller's office; raises as await_ready does."""
    until = time.monotonic() + within_s
    while not _has_controller(zookeeper.transaction_log):
        _wait_on(nodes, until, "no broker became the controller")


def _has_controller(log: Path) -> bool:
    # The first change makes the first file.
    return any(log.glob("log.*")) and any(each.path == CONTROLLER for each in changes(log))


def _listens(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=_ANSWER_WITHIN_S).close()
    except OSError:
        return False
    return True


def _listed(port: int, wanted: Sequence[int]) -> list[int] | str:
    """Return which of the `wanted` brokers the one at a port lists, or why it did not answer."""
    try:
        seen = metadata.ask(f"{LOOPBACK}:{port}", None, _ANSWER_WITHIN_S)
    except OSError as error:
        return f"nothing ({error})"
    return sorted(set(wanted) & set(seen.brokers))


def _wait_on(nodes: Sequence[Node], until: float, last: str) -> None:
    """Pause before the next look; raise when there is no sense in one."""
    for node in nodes:
        code = node.process.poll()
        if code is not None:
            said = process.complaint(node.log)
            kind = PortTakenError if _PORT_TAKEN in said else InsyncError
            raise kind(f"{node.role} {node.id}: ended with {code} while it started: {said}")
    if time.monotonic() > until:
        raise InsyncError(f"cluster: not ready in time: {last}")
    time.sleep(_POLL_S)
