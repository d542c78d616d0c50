"""The proxies between clients and brokers, and between brokers and the controller."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from echo_broker import Echo, answer, request
from insync.brokers.cluster.links.listeners import LinkedOnLoopback
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.links.rules import Treatment
from insync.brokers.cluster.plans import on_kraft
from insync.nodes import CLIENTS, CONTROLLER_ID
from waiting import wait_for

BROKERS = (1, 2, 3)
CUT = Treatment(cut=True)


@pytest.fixture
def all_links() -> Iterator[Links]:
    """Open the proxies of clients and of the controller as well, before nodes that echo."""
    with ExitStack() as stack:
        opened = stack.enter_context(Links(BROKERS, clients=True, controller=True))
        opened.open("127.0.0.1")
        echo = Echo()
        stack.callback(echo.server.close)
        opened.lead_controller(lambda: echo.address)
        for broker in BROKERS:
            opened.lead_clients(broker, lambda: echo.address)
        yield opened


@pytest.mark.parametrize("client", [b"raft-client-2", b"2"])
def test_a_broker_is_cut_off_from_the_controller_alone(all_links: Links, client: bytes) -> None:
    all_links.treat(2, CONTROLLER_ID, CUT)
    assert all_links.controller is not None
    with (
        socket.create_connection(all_links.controller, timeout=10) as cut,
        socket.create_connection(all_links.controller, timeout=10) as other,
    ):
        cut.sendall(request(client))
        other.sendall(request(client.replace(b"2", b"3")))
        assert answer(other, len(request(client))) == request(client.replace(b"2", b"3"))
        held = len(request(client))
        wait_for(
            lambda: all_links.passed_one_way(2, CONTROLLER_ID).in_hand, lambda seen: seen == held,
            within_s=10,
        )  # fmt: skip


def test_clients_are_cut_off_from_one_broker_by_whatever_name(all_links: Links) -> None:
    all_links.treat(CLIENTS, 1, CUT)
    with (
        socket.create_connection(all_links.clients[1], timeout=10) as cut,
        socket.create_connection(all_links.clients[2], timeout=10) as other,
    ):
        for connection in (cut, other):
            connection.sendall(request(b"rdkafka"))
        answer(other, len(request(b"rdkafka")))
        wait_for(lambda: all_links.passed_one_way(CLIENTS, 1).in_hand, bool, within_s=10)
        assert all_links.passed(CLIENTS, 1).bytes == 0


def test_brokers_find_the_controller_and_clients_the_brokers_at_their_proxies(
    all_links: Links,
) -> None:
    controller, first, *_ = on_kraft(Path("/runs/nodes"), [1, 2], {}, LinkedOnLoopback(all_links))
    proxy = "{}:{}".format(*(all_links.controller or ()))
    assert first.settings["controller.quorum.voters"] == f"{CONTROLLER_ID}@{proxy}"
    assert controller.settings["controller.quorum.voters"] == f"{CONTROLLER_ID}@{proxy}"
    assert controller.settings["advertised.listeners"] == f"CONTROLLER://{proxy}"
    assert controller.settings["listeners"] == f"CONTROLLER://127.0.0.1:{controller.port}"
    advertised_to_clients = first.settings["advertised.listeners"].split(",")
    assert f"PLAINTEXT://127.0.0.1:{all_links.clients[1][1]}" in advertised_to_clients
    assert first.settings["listeners"].startswith(f"PLAINTEXT://127.0.0.1:{first.port},")
