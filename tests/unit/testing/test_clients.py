"""What the wrappers of a test's clients record, with clients that only remember their calls."""

from itertools import count
from typing import Any
from unittest.mock import Mock

import pytest

from insync.errors import InputError
from insync.testing.clients import HEADER, RecordedConsumer, RecordedProducer, TopicHistory, read
from insync.workload.value import UNREADABLE


def message(value: bytes, headers: Any, offset: int = 0) -> Mock:
    named = {"value": value, "headers": headers, "offset": offset, "error": None}
    named |= {"topic": "orders", "partition": 1}
    return Mock(**{f"{name}.return_value": each for name, each in named.items()})


def client(*messages: Mock) -> Mock:
    """Return a client that reads these messages."""
    return Mock(**{"poll.side_effect": [*messages, None]})


@pytest.fixture
def topic() -> TopicHistory:
    return TopicHistory("orders", "h")


def producer(client: Mock, topic: TopicHistory) -> RecordedProducer:
    return RecordedProducer(client, lambda _: topic, 7, "stock", idempotent=True)


def consumer(client: Mock, topic: TopicHistory) -> RecordedConsumer:
    return RecordedConsumer(client, lambda _: topic, count(), "stock")


def test_a_sent_record_has_a_number_and_its_answer_the_place(topic: TopicHistory) -> None:
    sender, heard = client(), Mock()
    own = producer(sender, topic)
    own.produce("orders", b"one", on_delivery=heard, headers={"a": b"b"})
    own.produce("orders", "two")
    assert [line.seq for line in topic.unanswered.values()] == [0, 1]
    named = sender.produce.call_args_list[0].kwargs
    assert named["headers"][0] == ("a", b"b")
    answer = message(b"one", named["headers"], offset=5)
    named["on_delivery"](None, answer)
    (line,) = topic.produced
    assert (line.seq, line.partition, line.offset, line.error) == (0, 1, 5, None)
    assert (line.producer, line.idempotent) == (7, True)
    heard.assert_called_once_with(None, answer)
    assert list(topic.unanswered) == [1]


def test_a_record_that_the_client_refuses_was_never_sent(topic: TopicHistory) -> None:
    full = Mock(**{"produce.side_effect": BufferError("queue full")})
    with pytest.raises(BufferError):
        producer(full, topic).produce("orders", b"one")
    assert not topic.unanswered


def test_transactions_are_refused_in_one_line(topic: TopicHistory) -> None:
    with pytest.raises(InputError, match="begin_transaction: expected a producer without"):
        producer(client(), topic).begin_transaction()


def test_a_read_is_that_of_the_record_that_was_sent(topic: TopicHistory) -> None:
    sender = client()
    producer(sender, topic).produce("orders", b"one")
    headers = sender.produce.call_args.kwargs["headers"]
    own = consumer(client(message(b"one", headers, 4), message(b"two", headers, 5)), topic)
    while own.poll() is not None:
        pass
    first, second = topic.consumed
    assert (first.seq, first.offset, first.nth, first.corrupt) == (0, 4, 0, None)
    assert (second.seq, second.nth) == (UNREADABLE, 1)
    assert second.corrupt.startswith("checksum ")


def test_a_consumer_is_a_new_one_after_an_assignment_and_a_seek(topic: TopicHistory) -> None:
    reader, assigned = client(*(message(b"x", []) for _ in range(3))), Mock()
    own = consumer(reader, topic)
    own.subscribe(["orders"], on_assign=assigned)
    own.poll()
    reader.subscribe.call_args.kwargs["on_assign"](reader, [])
    own.poll()
    own.seek(None)
    own.poll()
    numbers = [line.consumer for line in topic.consumed]
    assert len(set(numbers)) == 3
    assert [line.nth for line in topic.consumed] == [0, 0, 0]
    assigned.assert_called_once_with(reader, [])


@pytest.mark.parametrize(
    "headers", [None, [], [(HEADER, b"other:0:0")], [(HEADER, b"h:x:0")], [(HEADER, "h:0:0")]]
)
def test_a_record_of_somebody_else_is_no_record_of_the_history(headers: Any) -> None:
    found = read(message(b"", headers), "h")
    assert found.wrong == "a record that no producer of the history sent"
