"""Record what a test's own producers and consumers do: thin wrappers around confluent-kafka's.

Each record gets a header with its number in the history and a checksum of its value, by which
consumers of the history recognise it. Everything else is the wrapped client's.
"""

import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, Message, Producer

from insync.errors import InputError
from insync.events.schema import ConsumeLine, ProduceLine, now_ms
from insync.workload.value import UNREADABLE, ReadValue

HEADER: Final = "insync"
UNKNOWN: Final = -1
"""The partition of a record that was never answered: only its client could tell."""
Answer = Callable[[KafkaError | None, Message], None]


def stamp(history: str, seq: int, value: bytes | str | None) -> bytes:
    """Return the header of a record: its history, its number, and the checksum of its value."""
    return f"{history}:{seq}:{_checksum(value)}".encode()


def read(message: Message, history: str) -> ReadValue:
    """Return what a message's header says: the record's number, and what is wrong with it."""
    headers = message.headers() or []
    pairs = headers.items() if isinstance(headers, dict) else headers
    found = next((value for name, value in pairs if name == HEADER), b"")
    parts = re.fullmatch(rb"([^:]+):(\d+):(\d+)", found if isinstance(found, bytes) else b"")
    if parts is None or parts[1] != history.encode():
        return ReadValue(UNREADABLE, "a record that no producer of the history sent")
    computed = _checksum(message.value())
    if int(parts[3]) != computed:
        return ReadValue(UNREADABLE, f"checksum {computed:08x}, expected {int(parts[3]):08x}")
    return ReadValue(int(parts[2]))


def _checksum(value: bytes | str | None) -> int:
    return zlib.crc32(value.encode() if isinstance(value, str) else value or b"")


@dataclass
class TopicHistory:
    """What was done to one topic: its lines, and the numbers of its records, from 0.

    `name` is that of the history, which its records carry; `unanswered` are the records without an
    answer so far.
    """

    topic: str
    name: str
    numbers: Iterator[int] = field(default_factory=count)
    unanswered: dict[int, ProduceLine] = field(default_factory=dict)
    produced: list[ProduceLine] = field(default_factory=list)
    consumed: list[ConsumeLine] = field(default_factory=list)


TopicOf = Callable[[str], TopicHistory]


class RecordedProducer:
    """A `confluent_kafka.Producer` whose records are in the history.

    It has all methods of the producer that it wraps, but those of transactions, which the history
    does not record.
    """

    def __init__(
        self, client: Producer, topic_of: TopicOf, number: int, arm: str, *, idempotent: bool
    ) -> None:
        self._client = client
        self._topic_of = topic_of
        self._number = number
        self._arm = arm
        self._idempotent = idempotent

    def produce(
        self,
        topic: str,
        value: bytes | str | None = None,
        key: bytes | str | None = None,
        partition: int = UNKNOWN,
        callback: Answer | None = None,
        on_delivery: Answer | None = None,
        timestamp: int = 0,
        headers: Mapping[str, Any] | Sequence[tuple[str, Any]] | None = None,
    ) -> None:
        """Send a record as `Producer.produce` does."""
        history = self._topic_of(topic)
        seq, began = next(history.numbers), time.monotonic()
        history.unanswered[seq] = ProduceLine(
            arm=self._arm, repeat=0, topic=topic, partition=partition, seq=seq, sent_ms=now_ms(),
            done_ms=None, latency_ms=None, error=None, offset=None, producer=self._number,
            idempotent=self._idempotent, client="librdkafka",
        )  # fmt: skip

        def answered(error: KafkaError | None, message: Message) -> None:
            line = history.unanswered.pop(seq)
            at, offset = message.partition(), message.offset()
            history.produced.append(
                replace(
                    line, done_ms=now_ms(), latency_ms=(time.monotonic() - began) * 1000,
                    partition=partition if at is None or at < 0 else at,
                    error=None if error is None else error.name(),
                    offset=offset if error is None and offset is not None and offset >= 0 else None,
                )
            )  # fmt: skip
            then = on_delivery or callback
            if then is not None:
                then(error, message)

        own = list(headers.items()) if isinstance(headers, Mapping) else list(headers or ())
        try:
            self._client.produce(
                topic, value, key, partition=partition, on_delivery=answered, timestamp=timestamp,
                headers=[*own, (HEADER, stamp(history.name, seq, value))],
            )  # fmt: skip
        except BaseException:
            del history.unanswered[seq]  # it was not accepted, so it was never sent
            raise

    def begin_transaction(self, *_: object) -> None:
        """Refuse: the history does not record transactions."""
        raise InputError("history: begin_transaction: expected a producer without transactions")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __len__(self) -> int:
        return len(self._client)


class RecordedConsumer:
    """A `confluent_kafka.Consumer` whose reads are in the history.

    After each new assignment and each seek it counts as a new consumer, which may read from
    anywhere. It has all methods of the consumer that it wraps.
    """

    def __init__(
        self, client: Consumer, topic_of: TopicOf, numbers: Iterator[int], arm: str
    ) -> None:
        self._client = client
        self._topic_of = topic_of
        self._numbers = numbers
        self._arm = arm
        self._begin()

    def poll(self, timeout: float = -1) -> Message | None:
        """Read a record as `Consumer.poll` does."""
        message = self._client.poll(timeout)
        if message is not None:
            self._take(message)
        return message

    def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Read records as `Consumer.consume` does."""
        messages = self._client.consume(num_messages, timeout)
        for message in messages:
            self._take(message)
        return messages

    def subscribe(
        self, topics: list[str], on_assign: Callable[..., Any] | None = None, **callbacks: Any
    ) -> None:
        """Subscribe as `Consumer.subscribe` does."""

        def assigned(consumer: Consumer, partitions: list[Any]) -> None:
            self._begin()
            if on_assign is not None:
                on_assign(consumer, partitions)

        self._client.subscribe(topics, on_assign=assigned, **callbacks)

    def assign(self, partitions: list[Any]) -> None:
        """Assign partitions as `Consumer.assign` does."""
        self._begin()
        self._client.assign(partitions)

    def incremental_assign(self, partitions: list[Any]) -> None:
        """Assign more partitions as `Consumer.incremental_assign` does."""
        self._begin()
        self._client.incremental_assign(partitions)

    def seek(self, partition: Any) -> None:
        """Go to an offset as `Consumer.seek` does."""
        self._begin()
        self._client.seek(partition)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def _begin(self) -> None:
        self._number, self._count = next(self._numbers), 0

    def _take(self, message: Message) -> None:
        topic, partition, offset = message.topic(), message.partition(), message.offset()
        if message.error() or topic is None or partition is None or offset is None:
            return
        history = self._topic_of(topic)
        said = read(message, history.name)
        history.consumed.append(
            ConsumeLine(
                arm=self._arm, repeat=0, topic=topic, partition=partition, offset=offset,
                seq=said.seq, read_ms=now_ms(), nth=self._count, consumer=self._number,
                corrupt=said.wrong, client="librdkafka",
            )
        )  # fmt: skip
        self._count += 1
