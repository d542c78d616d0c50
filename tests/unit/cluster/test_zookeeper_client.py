"""ZooKeeper requests and responses, on a fake server; test_local_cluster uses a real one."""

import socket
import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from insync.brokers.cluster.ready import forget_broker, serves
from insync.errors import InsyncError


def request(client: socket.socket) -> bytes:
    (length,) = struct.unpack(">i", client.recv(4, socket.MSG_WAITALL))
    return client.recv(length, socket.MSG_WAITALL)


def reply(client: socket.socket, content: bytes) -> None:
    client.sendall(struct.pack(">i", len(content)) + content)


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answers(server: socket.socket, code: int) -> "Future[bytes]":
    """Serve one session in which the request is answered with `code`; gives the request."""

    def serve() -> bytes:
        client, _ = server.accept()
        with client:
            request(client)
            reply(client, bytes(37))
            asked = request(client)
            reply(client, struct.pack(">iqi", 1, 9, code))
            request(client)
            reply(client, struct.pack(">iqi", 2, 10, 0))
        return asked

    with ThreadPoolExecutor(max_workers=1) as pool:
        done = pool.submit(serve)
        forget_broker(server.getsockname()[1], 3)
    return done


@pytest.mark.parametrize("code", [0, -101])
def test_deleting_an_absent_registration_succeeds(server: socket.socket, code: int) -> None:
    assert answers(server, code).result() == (
        struct.pack(">iii", 1, 2, 14) + b"/brokers/ids/3" + struct.pack(">i", -1)
    )


def test_a_refusal_is_an_error(server: socket.socket) -> None:
    with pytest.raises(
        InsyncError, match=r"^zookeeper: cannot delete the registration of broker 3: error -102$"
    ):
        answers(server, -102)


def test_no_answer_is_an_error(server: socket.socket) -> None:
    port = server.getsockname()[1]
    server.close()
    with pytest.raises(InsyncError, match=r"cannot delete the registration of broker 3: .*refused"):
        forget_broker(port, 3)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (b"Zookeeper version: 3.4.10-39d3a4f\n", True),
        (b"This ZooKeeper instance is not currently serving requests\n", False),
        (b"Zoo", False),
        (b"", False),
    ],
)
def test_a_server_is_ready_when_it_answers_with_its_version(
    server: socket.socket, answer: bytes, expected: bool
) -> None:
    def serve() -> bytes:
        client, _ = server.accept()
        with client:
            asked = client.recv(4, socket.MSG_WAITALL)
            client.sendall(answer)
        return asked

    with ThreadPoolExecutor(max_workers=1) as pool:
        asked = pool.submit(serve)
        assert serves(server.getsockname()[1]) is expected
    assert asked.result() == b"srvr"


def test_a_port_without_a_listener_is_not_ready(server: socket.socket) -> None:
    port = server.getsockname()[1]
    server.close()
    assert not serves(port)
