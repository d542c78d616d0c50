"""Writes and reads a broker's Metadata request and response, in Kafka's documented bytes."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.brokers.kafka import metadata
from insync.brokers.kafka.metadata import Metadata, State

IDS = st.lists(st.integers(0, 200), unique=True, max_size=5)
STATES = st.dictionaries(st.integers(0, 99), st.tuples(st.integers(-1, 200), IDS), max_size=4)
TEXTS = st.none() | st.text("ab-", max_size=20)


@pytest.mark.parametrize(
    ("topic", "rest"), [("ab", "00000001 0002 6162 00"), (None, "00000000 00")]
)
def test_the_request_creates_no_topic(topic: str | None, rest: str) -> None:
    expected = bytes.fromhex("0003 0004 00000001 0006 696e73796e63" + rest)
    assert metadata.request(topic) == struct.pack(">i", len(expected)) + expected


def text(words: str | None) -> bytes:
    if words is None:
        return struct.pack(">h", -1)
    return struct.pack(">h", len(words)) + words.encode()


def ids(numbers: list[int]) -> bytes:
    return struct.pack(f">i{len(numbers)}i", len(numbers), *numbers)


def answer(brokers: list[int], cluster: str | None, state: State, error: int) -> bytes:
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
    found = metadata.parse(answer(brokers, cluster, state, error))
    assert found == Metadata(sorted(brokers), expected, replicas)
    assert list(found.partitions) == sorted(state)


@given(st.data())
def test_a_truncated_response_is_an_os_error(data: st.DataObject) -> None:
    whole = answer([1, 2], "id", {0: (1, [1, 2])}, 0)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ConnectionError, match="is truncated"):
        metadata.parse(whole[:cut])
