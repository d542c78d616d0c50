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
