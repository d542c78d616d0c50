"""Consumers that read a topic from its beginning, over and over, on one broker.

Each connection carries many requests at once. The broker answers one after the other, so its
network threads have something to send as long as the connections last. What comes is thrown away.
"""

import selectors
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from insync.background import Background

CONNECTS_WITHIN_S: Final = 5.0
REPEATS: Final = 100
_POLL_S: Final = 0.05
_PIECE: Final = 1 << 20


class ColdReaders(Background):
    """Reads in a thread of its own while its `with` block runs."""

    def __init__(self, clients: Sequence[socket.socket]) -> None:
        """Plan to read what these connections bring."""
        super().__init__("cold-readers")
        self._selector = selectors.DefaultSelector()
        for client in clients:
            client.setblocking(False)
            self._selector.register(client, selectors.EVENT_READ)
        self._buffer = bytearray(_PIECE)
        self.received = 0

    @classmethod
    def start(cls, stack: ExitStack, port: int, requests: Sequence[bytes]) -> "ColdReaders":
        """Send each of the requests on a connection of its own, and read; raises OSError.

        All ends with `stack`.
        """
        from insync.brokers.kafka import wire  # here, so that scenarios load no broker code

        clients = [stack.enter_context(wire.connect(port, CONNECTS_WITHIN_S)) for _ in requests]
        for client, request in zip(clients, requests, strict=True):
            client.sendall(request * REPEATS)
        return stack.enter_context(cls(clients))

    def _step(self) -> None:
        for key, _ in self._selector.select(_POLL_S):
            client = key.fileobj
            assert isinstance(client, socket.socket)  # noqa: S101  # as registered
            try:
                size = client.recv_into(self._buffer)
            except OSError:
                size = 0
            if size == 0:  # the broker has closed it, or has ended
                self._selector.unregister(client)
            self.received += size
