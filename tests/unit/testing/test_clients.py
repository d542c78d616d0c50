"""What the wrappers of a test's clients record, with clients that only remember their calls."""

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from insync.errors import InputError
from insync.testing.clients import HEADER, RecordedConsumer, RecordedProducer, TopicHistory, read
from insync.workload.value import UNREADABLE


class Message:
    def __init__(self, value: bytes | None, headers: Any, offset: int = 0) -> None:
        self._value, self._headers, self._offset = value, headers, offset

    def value(self) -> bytes | None:
        return self._value

    def headers(self) -> Any:
        return self._headers

    def topic(self) -> str:
        return "orders"

    def partition(self) -> int:
        return 1

    def offset(self) -> int:
        return self._offset

    def error(self) -> None:
        return None


class Client:
    def __init__(self, *messages: Message) -> None:
        self.sent: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        self.messages = list(messages)
        self.on_assign: Callable[..., None]
        self.full = False

    def produce(self, *arguments: Any, **named: Any) -> None:
        if self.full:
            raise BufferError("queue full")
        self.sent.append((arguments, named))

    def poll(self, _: float = -1) -> Message | None:
        return self.messages.pop(0) if self.messages else None

    def subscribe(self, _: list[str], on_assign: Callable[..., None]) -> None:
        self.on_assign = on_assign

    def seek(self, _: Any) -> None:
        """Do nothing."""


@pytest.fixture
def topic() -> TopicHistory:
    return TopicHistory("orders", "h")


def producer(client: Client, topic: TopicHistory) -> RecordedProducer:
    return RecordedProducer(client, lambda _: topic, 7, "stock", idempotent=True)  # type: ignore[arg-type]  # stands in


def consumer(client: Client, topic: TopicHistory) -> RecordedConsumer:
    return RecordedConsumer(client, lambda _: topic, count(), "stock")  # type: ignore[arg-type]  # stands in


def test_a_sent_record_has_a_number_and_its_answer_the_place(topic: TopicHistory) -> None:
    client, heard = Client(), list[Any]()
    own = producer(client, topic)
    own.produce("orders", b"one", on_delivery=lambda *told: heard.append(told), headers={"a": b"b"})
    own.produce("orders", "two")
    assert [line.seq for line in topic.unanswered.values()] == [0, 1]
    named = client.sent[0][1]
    assert named["headers"][0] == ("a", b"b")
    answer = Message(b"one", named["headers"], offset=5)
    named["on_delivery"](None, answer)
    (line,) = topic.produced
    assert (line.seq, line.partition, line.offset, line.error) == (0, 1, 5, None)
    assert (line.producer, line.idempotent) == (7, True)
    assert heard == [(None, answer)]
    assert list(topic.unanswered) == [1]


def test_a_record_that_the_client_refuses_was_never_sent(topic: TopicHistory) -> None:
    client = Client()
    client.full = True
    with pytest.raises(BufferError):
        producer(client, topic).produce("orders", b"one")
    assert not topic.unanswered


def test_transactions_are_refused_in_one_line(topic: TopicHistory) -> None:
    with pytest.raises(InputError, match="begin_transaction: expected a producer without"):
        producer(Client(), topic).begin_transaction()


def test_a_read_is_that_of_the_record_that_was_sent(topic: TopicHistory) -> None:
    client = Client()
    producer(client, topic).produce("orders", b"one")
    headers = client.sent[0][1]["headers"]
    own = consumer(Client(Message(b"one", headers, 4), Message(b"two", headers, 5)), topic)
    while own.poll() is not None:
        pass
    first, second = topic.consumed
    assert (first.seq, first.offset, first.nth, first.corrupt) == (0, 4, 0, None)
    assert (second.seq, second.nth) == (UNREADABLE, 1)
    assert second.corrupt is not None
    assert second.corrupt.startswith("checksum ")


def test_a_consumer_is_a_new_one_after_an_assignment_and_a_seek(topic: TopicHistory) -> None:
    client = Client(*(Message(b"x", []) for _ in range(3)))
    own, assigned = consumer(client, topic), list[Any]()
    own.subscribe(["orders"], on_assign=lambda *told: assigned.append(told))
    own.poll()
    client.on_assign(client, [])
    own.poll()
    own.seek(None)
    own.poll()
    numbers = [line.consumer for line in topic.consumed]
    assert len(set(numbers)) == 3
    assert [line.nth for line in topic.consumed] == [0, 0, 0]
    assert assigned == [(client, [])]


@pytest.mark.parametrize(
    "headers", [None, [], [(HEADER, b"other:0:0")], [(HEADER, b"h:x:0")], [(HEADER, "h:0:0")]]
)
def test_a_record_of_somebody_else_is_no_record_of_the_history(headers: Any) -> None:
    found = read(Message(b"", headers), "h")  # type: ignore[arg-type]  # stands in
    assert found.wrong == "a record that no producer of the history sent"
