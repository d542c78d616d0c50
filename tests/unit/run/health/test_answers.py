"""The harness asks brokers for something that waits for no record, and records what came."""

import socket
import struct
import threading

import pytest

from insync.brokers.kafka.ports import LOOPBACK
from insync.run.health.answers import ask


@pytest.mark.parametrize("connects", [True, False])
def test_a_server_without_an_answer_is_told_from_one_that_takes_no_connection(
    connects: bool,
) -> None:
    with socket.create_server((LOOPBACK, 0)) as server:
        port = server.getsockname()[1]
        if not connects:
            server.close()
        assert ask(port, 0.2) == ("no answer" if connects else "no connection")


@pytest.mark.parametrize("answer", [struct.pack(">i", 3) + b"any", b"\0\0"])
def test_only_a_whole_answer_counts(answer: bytes) -> None:
    with socket.create_server((LOOPBACK, 0)) as server:

        def serve() -> None:
            client, _ = server.accept()
            with client:
                client.recv(4_096)
                client.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        whole = len(answer) > 4
        assert ask(server.getsockname()[1], 10.0) == ("answer" if whole else "no answer")
        serving.join()
