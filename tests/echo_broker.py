"""Fake brokers that echo, and the requests that reach them, for tests of the proxies."""

import socket
import struct
import threading
from contextlib import suppress


def request(client: bytes, body: bytes = b"") -> bytes:
    """Return a Kafka request's bytes: header and body."""
    rest = struct.pack(">hhih", 1, 12, 7, len(client)) + client + body
    return struct.pack(">i", len(rest)) + rest


class Echo:
    """A fake broker that echoes each connection's bytes."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = self.server.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self._echo, args=(connection,), daemon=True).start()

    @staticmethod
    def _echo(connection: socket.socket) -> None:
        with connection, suppress(ConnectionError):
            while got := connection.recv(65536):
                connection.sendall(got)


def answer(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size and (part := connection.recv(size - len(got))):
        got += part
    return got
