"""A server of a test: it serves each connection in a thread of its own."""

import socket
import threading
from abc import ABC, abstractmethod
from contextlib import suppress


class Server(ABC):
    """Listens on a free port until it is closed."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.address = self.listening.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    @abstractmethod
    def serve(self, client: socket.socket) -> None:
        """Serve a connection, which an OSError ends."""

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            self.serve(client)


class Answers(Server):
    """Answers the connections in turn, byte by byte; keeps what it is `asked`."""

    def __init__(self, *answers: bytes) -> None:
        self.asked: list[bytes] = []
        self._left = list(answers)
        super().__init__()
        self.port: int = self.address[1]

    def serve(self, client: socket.socket) -> None:
        self.asked.append(client.recv(1 << 16))
        for byte in self._left.pop(0):
            client.sendall(bytes([byte]))


def read(connection: socket.socket, size: int) -> bytes:
    """Return the next bytes, fewer only where the connection ends."""
    got = b""
    while len(got) < size and (part := connection.recv(size - len(got))):
        got += part
    return got
