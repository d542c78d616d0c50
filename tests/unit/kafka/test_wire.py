"""Encodes the requests to one chosen broker."""

import socket
import struct
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.brokers.kafka import wire


@pytest.mark.parametrize(
    ("request_", "body"),
    [
        (
            wire.fetch("ab", 3),
            "0001 0004 00000001 0006 696e73796e63"
            " ffffffff 00000000 00000000 00100000 00"
            " 00000001 0002 6162 00000001 00000003 0000000000000000 00100000",
        ),
        (
            wire.reassign("ab", 1, [2, 1, 3], 4_000),
            "002d 0000 00000001 0006 696e73796e63 00"
            " 00000fa0 02 03 6162 02 00000001 04 00000002 00000001 00000003 00 00 00",
        ),
        (
            wire.elect_preferred("ab", [0, 1], 4_000),
            "002b 0002 00000001 0006 696e73796e63 00"
            " 00 02 03 6162 03 00000000 00000001 00 00000fa0 00",
        ),
    ],
)
def test_a_request_is_framed_as_kafka_documents_it(request_: bytes, body: str) -> None:
    expected = bytes.fromhex(body)
    assert request_ == struct.pack(">i", len(expected)) + expected


@given(st.text("ab-", min_size=1, max_size=249), st.integers(0, 200))
def test_the_length_prefix_counts_the_remaining_bytes(topic: str, count: int) -> None:
    for request in (wire.fetch(topic, count), wire.elect_preferred(topic, range(count), 1)):
        assert struct.unpack_from(">i", request)[0] == len(request) - 4


@pytest.fixture
def server() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def answer(server: socket.socket, whole: bytes) -> threading.Thread:
    """Answer the next request with the given bytes, one by one."""

    def serve() -> None:
        peer, _ = server.accept()
        with peer:
            peer.recv(1 << 16)
            for byte in whole:
                peer.sendall(bytes([byte]))

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


@pytest.mark.parametrize("code", [0, 41, -1])
def test_the_error_code_is_read_from_the_response(server: socket.socket, code: int) -> None:
    body = struct.pack(">ixih", 1, 0, code) + b"rest"
    thread = answer(server, struct.pack(">i", len(body)) + body)
    assert wire.ask(server.getsockname()[1], b"request", 5) == code
    thread.join()


def test_a_closed_connection_is_an_os_error(server: socket.socket) -> None:
    thread = answer(server, b"\0\0")
    with pytest.raises(OSError, match="closed the connection"):
        wire.ask(server.getsockname()[1], b"request", 5)
    thread.join()


def test_a_broker_that_does_not_answer_times_out(server: socket.socket) -> None:
    with pytest.raises(TimeoutError):
        wire.ask(server.getsockname()[1], b"request", 0.05)
