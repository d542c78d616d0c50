"""The bytes that are exchanged with one chosen broker, as Kafka documents them."""

import socket
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import Metadata, State
from unit.servers import Answers


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
            wire.reassign("ab", 1, None, 4_000),
            "002d 0000 00000001 0006 696e73796e63 00 00000fa0 02 03 6162 02 00000001 00 00 00 00",
        ),
        (
            wire.list_reassignments("ab", [1, 2], 4_000),
            "002e 0000 00000001 0006 696e73796e63 00"
            " 00000fa0 02 03 6162 03 00000001 00000002 00 00",
        ),
        (
            wire.elect("ab", [0, 1], 4_000),
            "002b 0002 00000001 0006 696e73796e63 00"
            " 00 02 03 6162 03 00000000 00000001 00 00000fa0 00",
        ),
        (
            wire.elect("ab", [1], 4_000, wire.UNCLEAN),
            "002b 0002 00000001 0006 696e73796e63 00 01 02 03 6162 02 00000001 00 00000fa0 00",
        ),
    ],
)
def test_a_request_is_framed_as_kafka_documents_it(request_: bytes, body: str) -> None:
    expected = bytes.fromhex(body)
    assert request_ == struct.pack(">i", len(expected)) + expected


def test_the_brokers_that_are_added_are_read_from_the_answer() -> None:
    head = "00000001 00 00000000"
    partition = "00000001 04 00000001 00000002 00000003 02 00000003 01 00"
    answer = f"{head} 0000 00 02 03 6162 02 {partition} 00 00"
    assert wire.adding(bytes.fromhex(answer)) == {1: [3]}
    assert wire.adding(bytes.fromhex(f"{head} 0000 00 01 00")) == {}
    with pytest.raises(OSError, match="error 31: no"):
        wire.adding(bytes.fromhex(f"{head} 001f 03 6e6f 01 00"))


def ask(whole: bytes) -> int:
    return wire.ask(Answers(whole).port, b"request", 60)


@pytest.mark.parametrize("code", [0, 41, -1])
def test_the_error_code_is_read_from_the_response(code: int) -> None:
    body = struct.pack(">ixih", 1, 0, code) + b"rest"
    assert ask(struct.pack(">i", len(body)) + body) == code


def test_a_closed_connection_is_an_os_error() -> None:
    with pytest.raises(OSError, match="closed the connection"):
        ask(b"\0\0")


def test_a_broker_that_does_not_answer_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(TimeoutError):
        wire.ask(silent.getsockname()[1], b"request", 0.05)


IDS = st.lists(st.integers(0, 200), unique=True, max_size=5)
STATES = st.dictionaries(st.integers(0, 99), st.tuples(st.integers(-1, 200), IDS), max_size=4)
TEXTS = st.none() | st.text("ab-", max_size=20)


@pytest.mark.parametrize(
    ("topic", "rest"), [("ab", "00000001 0002 6162 00"), (None, "00000000 00")]
)
def test_the_request_creates_no_topic(topic: str | None, rest: str) -> None:
    expected = bytes.fromhex("0003 0004 00000001 0006 696e73796e63" + rest)
    assert wire.metadata_request(topic) == struct.pack(">i", len(expected)) + expected


def text(words: str | None) -> bytes:
    length = -1 if words is None else len(words)
    return struct.pack(">h", length) + (words or "").encode()


def ids(numbers: list[int]) -> bytes:
    return struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)


def response(brokers: list[int], cluster: str | None, state: State, error: int) -> bytes:
    out = struct.pack(">iii", 1, 0, len(brokers))
    for broker in brokers:
        out += struct.pack(">i", broker) + text("localhost") + struct.pack(">i", 9092) + text(None)
    out += text(cluster) + struct.pack(">i", 1) + struct.pack(">ih", 1, error) + text("topic")
    out += struct.pack(">bi", 0, len(state))
    for number, (leader, isr) in state.items():
        out += struct.pack(">hii", 0, number, leader) + ids([*isr, 201]) + ids(isr)
    return out


@given(IDS, TEXTS, STATES, st.sampled_from([0, 3, 5]))
def test_a_brokers_response_is_decoded(
    brokers: list[int], cluster: str | None, state: State, error: int
) -> None:
    expected = {number: (leader, sorted(isr)) for number, (leader, isr) in state.items()}
    replicas = {number: [*isr, 201] for number, (_, isr) in state.items()}
    found = wire.parse_metadata(response(brokers, cluster, state, error))
    assert found == Metadata(sorted(brokers), expected, replicas)
    assert list(found.partitions) == sorted(state)


@given(st.data())
def test_a_truncated_response_is_an_os_error(data: st.DataObject) -> None:
    whole = response([1, 2], "id", {0: (1, [1, 2])}, 0)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ConnectionError, match="is truncated"):
        wire.parse_metadata(whole[:cut])
