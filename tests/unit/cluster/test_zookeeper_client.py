"""ZooKeeper requests and responses, on a fake server; test_local_cluster uses a real one."""

import socket
import struct

import pytest

from insync.brokers.cluster.ready import forget_broker, serves
from insync.errors import InsyncError
from unit.servers import Server, read


class ZooKeeper(Server):
    """Answers the words that it is `asked`, or in a session each request after its first."""

    def __init__(self, *answers: bytes, session: bool = False) -> None:
        self.asked: list[bytes] = []
        self._answers = answers
        self._session = session
        super().__init__()

    def serve(self, client: socket.socket) -> None:
        for answer in self._answers:
            size, head = 4, b""
            if self._session:
                (size,) = struct.unpack(">i", read(client, 4))
                head = struct.pack(">i", len(answer))
            self.asked.append(read(client, size))
            client.sendall(head + answer)


def forget(code: int) -> bytes:
    """Let broker 3 be forgotten, which the server answers with `code`; return the request."""
    deleted, closed = (struct.pack(">iqi", 1, 9, code), struct.pack(">iqi", 2, 10, 0))
    server = ZooKeeper(bytes(37), deleted, closed, session=True)
    forget_broker(server.address[1], 3)
    return server.asked[1]


@pytest.mark.parametrize("code", [0, -101])
def test_deleting_an_absent_registration_succeeds(code: int) -> None:
    assert forget(code) == (
        struct.pack(">iii", 1, 2, 14) + b"/brokers/ids/3" + struct.pack(">i", -1)
    )


def test_a_refusal_is_an_error() -> None:
    with pytest.raises(
        InsyncError, match=r"^zookeeper: cannot delete the registration of broker 3: error -102$"
    ):
        forget(-102)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"Zookeeper version: 3.4.10-39d3a4f\n", True),
        (b"This ZooKeeper instance is not currently serving requests\n", False),
        (b"Zoo", False),
        (b"", False),
    ],
)
def test_a_server_is_ready_when_it_answers_with_its_version(answer: bytes, expected: bool) -> None:
    server = ZooKeeper(answer)
    assert serves(server.address[1]) is expected
    assert server.asked == [b"srvr"]


def test_without_a_listener_it_is_not_ready_and_nothing_can_be_deleted() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert not serves(port)
    with pytest.raises(InsyncError, match=r"cannot delete the registration of broker 3: .*refused"):
        forget_broker(port, 3)
