"""The proxies between nodes, and before clients, cut, delay or slow one pair, and pass the rest."""

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from insync.brokers.cluster.addresses import Addresses, InNetwork
from insync.brokers.cluster.common import Controllers, on_kraft
from insync.brokers.cluster.links.proxies import (
    FOLLOWER,
    PIECE,
    PIECES,
    Links,
    Proxy,
    _connected,
    _tcp,
    who,
)
from insync.brokers.cluster.links.rules import LinkRule, Treatment
from insync.errors import InputError
from insync.nodes import CLIENTS, CONTROLLER_ID
from unit.servers import Server, read
from waiting import wait_for


def request(client: bytes, body: bytes = b"") -> bytes:
    rest = struct.pack(">hhih", 1, 12, 7, len(client)) + client + body
    return struct.pack(">i", len(rest)) + rest


class Echo(Server):
    def serve(self, client: socket.socket) -> None:
        while got := client.recv(65536):
            client.sendall(got)


BROKERS = (1, 2, 3)
CUT = Treatment(cut=True)


@pytest.fixture
def links() -> Iterator[Links]:
    with ExitStack() as stack:
        opened = stack.enter_context(Links(BROKERS, clients=True, controllers=(CONTROLLER_ID,)))
        opened.open("127.0.0.1")
        for proxy in opened._all():
            echo = Echo()
            stack.callback(echo.listening.close)
            proxy.upstream = lambda echo=echo: echo.address  # type: ignore[misc]
        yield opened


def connect(proxy: Proxy, client: bytes | None = None) -> socket.socket:
    """Connect to a proxy; a client with a name begins with a request."""
    connection = socket.create_connection(proxy.address, timeout=10)
    if client is not None:
        connection.sendall(request(client))
    return connection


def follower(links: Links, of: int = 1, number: int = 2) -> socket.socket:
    return connect(links.brokers[of], b"broker-%d-fetcher-0" % number)


OPENING = len(request(b"broker-2-fetcher-0"))


@pytest.fixture
def connection(links: Links) -> Iterator[socket.socket]:
    """Connect broker 2 to broker 1, whose answer to its first request has come."""
    with follower(links) as opened:
        read(opened, OPENING)
        yield opened


def passed(links: Links, one: int, other: int) -> SimpleNamespace:
    """Return the counts of both directions together."""
    ways = asdict(links.passed(one, other)), asdict(links.passed(other, one))
    return SimpleNamespace(**{name: ways[0][name] + ways[1][name] for name in ways[0]})


@pytest.mark.parametrize(
    ("client", "broker"),
    [
        (b"broker-2-fetcher-0", 2),
        (b"broker-12-fetcher-3", 12),
        (b"rdkafka", CLIENTS),
        (b"broker-2-fetcher-", CLIENTS),
        (b"xbroker-2-fetcher-0", CLIENTS),
        (b"", CLIENTS),
    ],
)
def test_a_follower_is_known_by_its_client_id(client: bytes, broker: int) -> None:
    assert who(client, FOLLOWER) == broker


def test_bytes_pass_unchanged_in_both_directions(links: Links) -> None:
    with follower(links) as connection:
        assert read(connection, OPENING) == request(b"broker-2-fetcher-0")
        sent = bytes(range(256)) * 4096
        threading.Thread(target=connection.sendall, args=(sent,)).start()
        assert read(connection, len(sent)) == sent
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b"", "the end of the stream passes as well"
    assert passed(links, 1, 2).bytes == 2 * (OPENING + len(sent))
    assert passed(links, 1, 3).bytes == 0


@pytest.mark.parametrize("leader", [1, 2])
def test_a_cut_stops_only_one_pair_in_both_directions(links: Links, leader: int) -> None:
    with (
        follower(links, leader, 3 - leader) as one,
        follower(links, leader, 3) as other,
        connect(links.brokers[leader], b"a-client-of-brokers") as client,
    ):
        for connection in (one, other):
            read(connection, OPENING)
        read(client, len(request(b"a-client-of-brokers")))
        links.treat(1, 2, CUT)
        for connection in (one, other, client):
            connection.sendall(b"ping")
        wait_for(lambda: passed(links, 2, 1).in_hand, lambda held: held == 4)
        assert read(other, 4) == read(client, 4) == b"ping"
        assert passed(links, 1, 2).bytes == 0
        links.free(1, 2)
        assert read(one, 4) == b"ping"
        assert passed(links, 1, 2).in_hand == 0


def test_a_cut_buffers_a_bounded_number_of_bytes(links: Links) -> None:
    links.treat(1, 2, CUT)
    with follower(links) as connection:
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            while True:
                connection.sendall(b"x" * 65536)
        assert 0 < passed(links, 1, 2).in_hand <= PIECE * (PIECES + 2)
    links.free(1, 2)
    wait_for(lambda: passed(links, 1, 2).in_hand, lambda held: held == 0)


def test_chunks_are_delayed_concurrently_and_not_one_after_the_other(
    links: Links, connection: socket.socket
) -> None:
    links.treat(1, 2, Treatment(delay_s=0.2))
    began = time.monotonic()
    for _ in range(30):
        connection.sendall(b"ping")
        time.sleep(0.01)  # separate chunks
    read(connection, 120)
    assert 0.4 <= time.monotonic() - began < 6.0, "there and back, not thirty times"
    there, back = links.passed(1, 2), links.passed(2, 1)
    assert there.pieces_held + back.pieces_held >= 2
    assert max(there.longest_ms, back.longest_ms) >= 200


def test_one_direction_is_cut_and_the_other_one_passes(
    links: Links, connection: socket.socket
) -> None:
    """The followers' requests arrive and are answered, and no answer comes back."""
    links.treat(1, 2, Treatment(cut=True, only=(1, 2)))
    connection.sendall(b"ping")
    wait_for(lambda: links.passed(1, 2).in_hand, lambda held: held == 4)
    assert links.passed(2, 1).bytes == 4
    assert links.passed(1, 2).bytes == 0
    links.free(1, 2)
    assert read(connection, 4) == b"ping"


def test_bytes_of_a_connection_that_ends_while_it_is_cut_stay_counted(links: Links) -> None:
    links.treat(1, 2, CUT)
    with follower(links):
        wait_for(lambda: passed(links, 1, 2).in_hand, lambda held: held == OPENING)
        links.open("127.0.0.1")  # closes all connections
        assert passed(links, 1, 2).in_hand == 0
        assert passed(links, 1, 2).bytes_dropped == OPENING


def test_a_lost_chunk_arrives_late_with_those_behind_it_and_in_order(
    links: Links, connection: socket.socket
) -> None:
    links.treat(1, 2, Treatment(loss=0.2, seed=1))
    sent = bytes(range(256)) * 4
    for at in range(0, len(sent), 128):
        connection.sendall(sent[at : at + 128])
        time.sleep(0.002)  # separate chunks
    wait_for(lambda: passed(links, 1, 2).pieces_lost, bool)
    links.free(1, 2)
    assert read(connection, len(sent)) == sent
    links.treat(1, 2, Treatment(loss=0.99, seed=1))
    connection.sendall(b"ping")
    wait_for(lambda: links.passed(2, 1).pieces_lost, bool)
    links.free(1, 2)
    assert read(connection, 4) == b"ping"


def test_losses_follow_from_the_seed() -> None:
    async def delays(seed: int) -> list[float]:
        rule = LinkRule()
        await rule.change(Treatment(loss=0.5, seed=seed))
        return [rule._sent_again_after((1, 2)) for _ in range(20)]

    assert asyncio.run(delays(1)) == asyncio.run(delays(1))
    assert asyncio.run(delays(1)) != asyncio.run(delays(2))
    assert set(asyncio.run(delays(1))) <= {0.2 * ((1 << losses) - 1) for losses in range(9)}


def test_a_slow_link_passes_at_most_its_rate(links: Links, connection: socket.socket) -> None:
    links.treat(1, 2, Treatment(bytes_per_s=40_000))
    began = time.monotonic()
    connection.sendall(b"x" * 20_000)
    read(connection, 20_000)
    assert 0.5 <= time.monotonic() - began < 10.0
    assert passed(links, 1, 2).pieces_held >= 2


def test_no_chunk_waits_for_the_tcp_ack_of_the_previous_one() -> None:
    options: list[int] = []

    def note(transport: asyncio.BaseTransport) -> None:
        own = transport.get_extra_info("socket")
        options.append(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    async def scenario() -> None:
        listening = _tcp()
        listening.bind(("127.0.0.1", 0))
        server = Mock(asyncio.Protocol, connection_made=note)
        loop = asyncio.get_running_loop()
        async with await loop.create_server(lambda: server, sock=listening):
            _, writer = await _connected(listening.getsockname())
            while not options:
                await asyncio.sleep(0)
            note(writer.transport)
            writer.close()

    asyncio.run(scenario())
    assert options == [1, 1]


def test_a_stopped_broker_closes_its_followers_connections(links: Links) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = closed.getsockname()
    links.brokers[1].upstream = lambda: gone
    with follower(links) as connection:
        assert connection.recv(1) == b""


def test_a_client_that_is_not_a_follower_is_forwarded_or_closed(links: Links) -> None:
    with connect(links.brokers[1]) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        assert read(connection, 18) == b"GET / HTTP/1.1\r\n\r\n"
    with connect(links.brokers[1]) as connection:
        connection.sendall(b"x")
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""


def test_an_address_of_another_host_is_named_in_the_error() -> None:
    with (
        Links(BROKERS) as links,
        pytest.raises(InputError, match=r"links: no proxy on 192\.0\.2\.1: "),
    ):
        links.open("192.0.2.1")


def test_proxies_can_be_reopened(
    links: Links, connection: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    before = {each.address for each in links.brokers.values()}
    links.open("127.0.0.1")
    assert connection.recv(1) == b"", "connections through the old ones are closed"
    assert not before & {each.address for each in links.brokers.values()}
    with follower(links) as again:
        assert len(read(again, OPENING)) == OPENING
    assert not caplog.records, "open connections end without a traceback"


def test_a_broker_advertises_its_proxy_to_other_brokers_only(links: Links) -> None:
    made = Addresses(links).of_broker(1, 1)
    inner = made["listeners"].removeprefix("PLAINTEXT://127.0.0.1:1,REPLICATION://")
    proxy = links.brokers[1]
    assert made["advertised.listeners"].endswith(",REPLICATION://{}:{}".format(*proxy.address))
    assert made["inter.broker.listener.name"] == "REPLICATION"
    assert "{}:{}".format(*proxy.upstream()) == inner


def test_containers_know_each_other_by_name_and_proxies_by_address() -> None:
    with Links((2,), clients=True) as proxied:
        addresses = InNetwork(proxied, "127.0.0.1", lambda number: f"172.18.0.{number}")
        made = addresses.of_broker(2, 20_002)
        inner, clients = proxied.brokers[2], proxied.clients[2]
        assert made["listeners"] == "CLIENT://node-2:9092,INTERNAL://node-2:9094"
        assert made["advertised.listeners"] == (
            "CLIENT://{}:{},INTERNAL://{}:{}".format(*clients.address, *inner.address)
        )
        upstreams = [each.upstream and each.upstream() for each in (inner, clients)]
        assert upstreams == [("172.18.0.2", 9094), ("127.0.0.1", 20_002)]


def test_a_zookeeper_controller_has_the_listener_and_no_proxy(links: Links) -> None:
    own, proxied = (Addresses(links).of_broker(number, 1) for number in (100, 2))
    assert own["listeners"] == own["advertised.listeners"]
    assert proxied["advertised.listeners"].endswith(f":{links.brokers[2].address[1]}")
    assert own["inter.broker.listener.name"] == proxied["inter.broker.listener.name"]


@pytest.mark.parametrize("client", [b"raft-client-2", b"2"])
def test_a_broker_is_cut_off_from_the_controller_alone(links: Links, client: bytes) -> None:
    links.treat(2, CONTROLLER_ID, CUT)
    proxy, passes = links.controllers[CONTROLLER_ID], client.replace(b"2", b"3")
    with connect(proxy, client), connect(proxy, passes) as other:
        assert read(other, len(request(passes))) == request(passes)
        held = len(request(client))
        wait_for(lambda: links.passed(2, CONTROLLER_ID).in_hand, held.__eq__)


def test_clients_are_cut_off_from_one_broker_by_whatever_name(links: Links) -> None:
    links.treat(CLIENTS, 1, CUT)
    with connect(links.clients[1], b"rdkafka"), connect(links.clients[2], b"rdkafka") as other:
        read(other, len(request(b"rdkafka")))
        wait_for(lambda: links.passed(CLIENTS, 1).in_hand, bool)
        assert passed(links, CLIENTS, 1).bytes == 0


def test_brokers_find_the_controller_and_clients_the_brokers_at_proxies(links: Links) -> None:
    controller, first, *_ = on_kraft(Path("/runs/nodes"), [1, 2], {}, Addresses(links))
    proxy = "{}:{}".format(*links.controllers[CONTROLLER_ID].address)
    assert first.settings["controller.quorum.voters"] == f"{CONTROLLER_ID}@{proxy}"
    assert controller.settings["controller.quorum.voters"] == f"{CONTROLLER_ID}@{proxy}"
    assert controller.settings["advertised.listeners"] == f"CONTROLLER://{proxy}"
    assert controller.settings["listeners"] == f"CONTROLLER://127.0.0.1:{controller.port}"
    advertised_to_clients = first.settings["advertised.listeners"].split(",")
    assert f"PLAINTEXT://127.0.0.1:{links.clients[1].address[1]}" in advertised_to_clients
    assert first.settings["listeners"].startswith(f"PLAINTEXT://127.0.0.1:{first.port},")


def test_three_controllers_find_each_other_at_proxies_where_a_fault_needs_that() -> None:
    with Links(BROKERS, controllers=(100, 101, 102)) as proxied:
        addresses = Addresses(proxied)
        planned = on_kraft(Path("/runs/nodes"), [1], {}, addresses, Controllers(3))
        at = {number: "{}:{}".format(*each.address) for number, each in proxied.controllers.items()}
        voters = {each.settings["controller.quorum.voters"] for each in planned}
        assert voters == {",".join(f"{number}@{address}" for number, address in at.items())}
        for number, plan in zip(at, planned, strict=False):
            assert plan.settings["advertised.listeners"] == f"CONTROLLER://{at[number]}"
            proxy = proxied.controllers[number]
            assert proxy.upstream() == ("127.0.0.1", plan.port)
    direct = on_kraft(Path("/runs/nodes"), [1], {}, Addresses(), Controllers(3))
    own = ",".join(f"{plan.id}@127.0.0.1:{plan.port}" for plan in direct[:3])
    assert direct[0].settings["controller.quorum.voters"] == own
    assert "advertised.listeners" not in direct[0].settings
