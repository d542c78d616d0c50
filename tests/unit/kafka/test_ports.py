"""Picks free ports for nodes."""

import socket

import pytest

from insync.brokers.kafka import ports


def test_ports_differ_and_can_be_bound() -> None:
    found = ports.free_ports(20)
    assert len(set(found)) == 20
    for port in found:
        with socket.socket() as taken:
            taken.bind((ports.LOOPBACK, port))


def test_a_port_in_use_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind((ports.LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_FIRST", port)
        monkeypatch.setattr(ports, "_LAST", port + 1)
        with pytest.raises(OSError, match="only 0 free ports"):
            ports.free_ports(1)


def test_kept_ports_are_not_found_and_a_program_that_reuses_addresses_can_listen() -> None:
    (port,) = ports.free_ports(1)
    kept = ports.keep([port])
    for _ in range(2):  # a node that is killed leaves the port, and starts again there
        with socket.socket() as node:
            node.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Java does
            node.bind((ports.LOOPBACK, port))
            node.listen()
            with socket.create_connection((ports.LOOPBACK, port)):
                pass
        assert not ports._is_free(port)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((ports.LOOPBACK, port))
    kept.close()


def test_what_is_kept_is_freed_if_one_port_is_taken() -> None:
    (port,) = ports.free_ports(1)
    with socket.socket() as taken:
        taken.bind((ports.LOOPBACK, 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            ports.keep([port, taken.getsockname()[1]])
    assert ports._is_free(port)
