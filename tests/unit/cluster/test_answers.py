"""Single answers through a proxy: which calls are acted on, and what becomes of the others."""

import socket
import struct
import time
from collections.abc import Iterator
from typing import Any

import pytest

from insync.brokers.cluster.links.answers import AnswerRule
from insync.brokers.cluster.links.proxies import Links, Proxy
from insync.nodes import CONTROLLER_ID
from unit.servers import Server, read
from waiting import wait_for

FETCH, PRODUCE = 1, 0


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


def request(api: int, number: int, client: bytes = b"broker-2-fetcher-0") -> bytes:
    return framed(struct.pack(">hhih", api, 12, number, len(client)) + client)


def numbers(connection: socket.socket, count: int) -> list[int]:
    return [struct.unpack(">iih", read(connection, 10))[1] for _ in range(count)]


def code(connection: socket.socket) -> int:
    return int(struct.unpack(">iih", read(connection, 10))[2])


class Node(Server):
    """Answers each request with its number and the error code 0; counts the requests."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        super().__init__()

    def serve(self, client: socket.socket) -> None:
        while len(head := read(client, 4)) == 4:
            message = read(client, struct.unpack(">i", head)[0])
            if len(message) < 8:
                return
            (number,) = struct.unpack_from(">i", message, 4)
            self.asked.append(number)
            client.sendall(framed(struct.pack(">ih", number, 0)))


@pytest.fixture
def node() -> Iterator[Node]:
    made = Node()
    yield made
    made.listening.close()


@pytest.fixture
def links(node: Node) -> Iterator[Links]:
    with Links((1, 2), clients=True, controllers=(CONTROLLER_ID,), answers=True) as opened:
        opened.open("127.0.0.1")
        for proxy in (opened.brokers[1], opened.clients[1], opened.controllers[CONTROLLER_ID]):
            proxy.upstream = lambda: node.address
        yield opened


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(proxy.address, timeout=10)


@pytest.fixture
def one(links: Links) -> Iterator[socket.socket]:
    """Connect a follower to broker 1."""
    with connect(links.brokers[1]) as connection:
        yield connection


def acting(links: Links, node: int = 1, **keys: Any) -> AnswerRule:
    """Act on a node's answers to fetches: with error 6, unless the keys say otherwise."""
    fails: dict[str, Any] = {"mode": "error", "code": 6, "places": lambda *_: [8]}
    rule = AnswerRule(**{"api": FETCH, **fails, **keys})
    links.begin_answers(node, rule, to_clients=False)
    return rule


def codes(links: Links, *apis: int) -> list[int]:
    """Return the codes of the answers to calls, which have the numbers from 0 on."""
    found = []
    with connect(links.brokers[1]) as one:
        for number, api in enumerate(apis):
            one.sendall(request(api, number))
            found.append(code(one))
    return found


def test_only_the_calls_of_the_api_from_the_nth_on_are_acted_on(links: Links) -> None:
    rule = acting(links, from_call=2, calls=2)
    assert codes(links, FETCH, PRODUCE, FETCH, FETCH, FETCH) == [0, 0, 6, 6, 0]
    assert (rule.came, rule.acted, rule.version) == (4, 2, 12)
    assert 0 < rule.first_at <= time.monotonic()


def test_each_rule_counts_every_call_and_the_first_that_may_acts(links: Links) -> None:
    rules = [acting(links, from_call=each, code=each) for each in (1, 1, 3)]
    assert codes(links, *[FETCH] * 4) == [1, 1, 3, 0]
    assert [rule.came for rule in rules] == [4, 4, 4]


def test_an_answer_without_a_place_for_the_error_is_no_call(links: Links) -> None:
    """As one of a fetch session that has no partition: the next one is acted on."""
    places = iter([[], [8]])
    acting(links, places=lambda *_: next(places))
    assert codes(links, *[FETCH] * 3) == [0, 6, 0]


def test_a_delay_delays_what_is_behind_it_and_keeps_the_order(
    links: Links, one: socket.socket
) -> None:
    rule = acting(links, mode="delay", delay_s=0.4)
    began = time.monotonic()
    one.sendall(request(FETCH, 1) + request(PRODUCE, 2) + request(FETCH, 3))
    assert numbers(one, 3) == [1, 2, 3]
    assert time.monotonic() - began >= 0.4
    assert rule.acted == 1
    assert rule.longest_ms >= 400


def test_other_connections_do_not_wait_for_a_delay(links: Links, one: socket.socket) -> None:
    rule = acting(links, mode="delay", delay_s=60)
    one.sendall(request(FETCH, 1))
    wait_for(lambda: rule.acted, bool)
    assert codes(links, FETCH) == [0]
    links.end_answers(rule)
    assert numbers(one, 1) == [1], "at the end it passes"


def test_a_dropped_answer_never_comes_nor_one_behind_it(
    links: Links, node: Node, one: socket.socket
) -> None:
    rule = acting(links, mode="drop")
    one.sendall(request(FETCH, 1) + request(FETCH, 2))
    wait_for(lambda: node.asked, lambda asked: asked == [1, 2])
    one.settimeout(0.3)
    with pytest.raises(TimeoutError):
        one.recv(1)
    one.settimeout(10)
    links.end_answers(rule)
    with pytest.raises(ConnectionResetError):
        one.recv(1)
    assert rule.acted == 1
    assert codes(links, FETCH) == [0]


@pytest.mark.parametrize("processed", [True, False])
def test_a_reset_comes_after_the_node_has_the_request_or_before(
    links: Links, node: Node, one: socket.socket, processed: bool
) -> None:
    rule = acting(links, mode="reset", processed=processed)
    one.sendall(request(FETCH, 1))
    with pytest.raises(ConnectionResetError):
        one.recv(1)
    assert node.asked == ([1] if processed else [])
    assert rule.acted == 1


def unprocessed(links: Links, **keys: Any) -> AnswerRule:
    makes = lambda _, request: framed(request[8:12] + b"\0\0")  # noqa: E731
    return acting(links, processed=False, makes=makes, **keys)


def test_an_error_instead_of_the_work_comes_without_the_node(links: Links, node: Node) -> None:
    rule = unprocessed(links, from_call=2)
    assert codes(links, *[FETCH] * 3) == [0, 6, 0]
    assert node.asked == [0, 2]
    assert (rule.came, rule.acted, rule.version) == (3, 1, 12)


def test_an_error_instead_of_the_work_waits_for_the_answers_before_it(
    links: Links, one: socket.socket
) -> None:
    """Clients take the next answer of a connection for that to their oldest request."""
    late = acting(links, api=PRODUCE, mode="delay", delay_s=0.3)
    rule = unprocessed(links, calls=2)
    asked = ((PRODUCE, 1), (FETCH, 2), (FETCH, 3), (PRODUCE, 4), (FETCH, 5))
    one.sendall(b"".join(request(*each) for each in asked))
    assert numbers(one, 5) == [1, 2, 3, 4, 5]
    assert (late.acted, rule.acted) == (1, 2)


def test_a_request_without_a_place_for_the_error_reaches_the_node(links: Links, node: Node) -> None:
    rule = unprocessed(links, places=lambda *_: [])
    assert codes(links, FETCH) == [0]
    assert (node.asked, rule.acted) == ([0], 0)


def test_an_answer_that_is_lost_with_its_connection_is_no_call(links: Links) -> None:
    """The next call is acted on instead."""
    silent = socket.create_server(("127.0.0.1", 0))
    links.brokers[2].upstream = silent.getsockname
    with silent, connect(links.brokers[2]) as one:
        rule = acting(links, 2)
        one.sendall(request(FETCH, 1))
        wait_for(lambda: rule.came, bool)
        connection, _ = silent.accept()
        connection.close()
        assert one.recv(1) == b""
    links.begin_answers(1, rule, to_clients=False)
    assert codes(links, FETCH) == [6]


def test_only_who_is_meant_is_answered_so(links: Links) -> None:
    acting(links, CONTROLLER_ID, asked_by=lambda number: number == 2, calls=9)
    controller, clients = links.controllers[CONTROLLER_ID], links.clients[1]
    asks = [(controller, name) for name in (b"raft-client-2", b"2", b"raft-client-101", b"rdkafka")]
    found = []
    for proxy, name in (*asks, (clients, b"broker-2-fetcher-0")):
        with connect(proxy) as one:
            one.sendall(request(FETCH, 1, name))
            found.append(code(one))
    assert found == [6, 6, 0, 0, 0]


def test_what_is_no_message_of_kafka_passes(one: socket.socket) -> None:
    one.sendall(request(FETCH, 1))
    assert numbers(one, 1) == [1]
    one.sendall(b"\0\0\0\x02hi")
    one.sendall(b"\0\0")
    one.shutdown(socket.SHUT_WR)
    assert one.recv(1) == b""
