"""Find free loopback ports for nodes that must know each other's ports before they start."""

import random
import socket
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import islice

LOOPBACK = "127.0.0.1"
# Below the kernel's usual range for outgoing connections (32768-60999): an outgoing connection
# could otherwise take a chosen port just before its node binds it.
_FIRST, _LAST = 20_000, 32_000


def free_ports(count: int) -> tuple[int, ...]:
    """Return `count` different unused ports; raises OSError if there are too few."""
    ports = random.SystemRandom().sample(range(_FIRST, _LAST), _LAST - _FIRST)
    found = tuple(islice(filter(_is_free, ports), count))
    if len(found) < count:
        raise OSError(f"only {len(found)} free ports from {_FIRST} to {_LAST}, needed {count}")
    return found


def keep(ports: Iterable[int]) -> ExitStack:
    """Keep ports from being found free while no node listens there, until the result is closed.

    A Java program can listen on them all the same: both ends allow that (SO_REUSEADDR). Raises
    OSError if another program listens on one.
    """
    with ExitStack() as kept:
        for port in ports:
            held = kept.enter_context(socket.socket())
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.bind((LOOPBACK, port))
        return kept.pop_all()


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
