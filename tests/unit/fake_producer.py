"""librdkafka's producer and its messages, for tests of what uses them."""

from collections.abc import Callable
from time import sleep
from typing import Any

from confluent_kafka import KafkaError, KafkaException

Answer = Callable[[Any, Any], None]


class FakeMessage:
    """A record as the client gives it, or with `code` an event of the client."""

    def __init__(
        self, offset: int | None = None, code: int | None = None, value: bytes | None = b"",
        *, partition: int = 0,
    ) -> None:  # fmt: skip
        self._offset, self._partition = offset, partition
        self._code = code
        self._value = value

    def error(self) -> KafkaError | None:
        return None if self._code is None else KafkaError(self._code)

    def partition(self) -> int | None:
        return None if self._offset is None else self._partition

    def offset(self) -> int | None:
        return self._offset

    def value(self) -> bytes | None:
        return self._value


class FakeClient:
    """A producer client that acks on `poll`, as long as `answering` is set."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.answering = True
        self.refusal: Exception | None = None
        self.failure: KafkaError | None = None
        self.values: list[bytes] = []
        self.keys: list[bytes | None] = []
        self._waiting: list[Answer] = []

    def produce(
        self, topic: str, value: bytes, *, key: bytes | None, partition: int, on_delivery: Answer
    ) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.values.append(value)
        self.keys.append(key)
        self._waiting.append(on_delivery)

    def poll(self, seconds: float) -> int:
        """Ack the pending records; block like the real client if there are none."""
        if self.failure is not None:
            raise KafkaException(self.failure)
        if not self.answering or not self._waiting:
            sleep(seconds)
            return 0
        return self.answer(len(self._waiting))

    def answer(self, records: int) -> int:
        offset = len(self.values) - len(self._waiting)
        for number in range(records):
            self._waiting.pop(0)(None, FakeMessage(offset + number))
        return records
