"""The consumer of committed records: the positions it assumes, and when it is done."""

import threading
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError

from event_lines import read_lines
from insync.errors import InsyncError
from insync.events.writer import EventWriter
from insync.workload import consumer
from insync.workload.consumer import TopicConsumer
from insync.workload.plan import WorkloadPlan

PLAN = WorkloadPlan(
    bootstrap="nowhere:1", arm="stock", repeat=0, topic="t-r0", partitions=(0,), rate=1,
    producers=1, record_bytes=16, seed=1, drain_seconds=1.0,
)  # fmt: skip


class FakeMessage:
    """A record, or with `code` an event of the client."""

    def __init__(self, offset: int | None, code: int | None = None) -> None:
        self._offset = offset
        self._code = code

    def error(self) -> KafkaError | None:
        """Return the client's error, if any."""
        return None if self._code is None else KafkaError(self._code)

    def partition(self) -> int | None:
        """Return the only partition."""
        return None if self._offset is None else 0

    def offset(self) -> int | None:
        """Return the record's offset."""
        return self._offset

    def value(self) -> bytes:
        """Return the record's sequence number."""
        return (self._offset or 0).to_bytes(8, "big") + bytes(8)


class FakeClient:
    """A consumer client that returns the messages that the test gave it."""

    messages: list[FakeMessage]

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self._left = list(FakeClient.messages)

    def assign(self, _: object) -> None:
        """Accept the assignment."""

    def poll(self, seconds: float) -> FakeMessage | None:
        """Return the next message."""
        if not self._left:
            threading.Event().wait(seconds / 10)
            return None
        return self._left.pop(0)

    def close(self) -> None:
        """End."""


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[FakeClient]:
    """Replace the real client with the fake."""
    monkeypatch.setattr(consumer, "Consumer", FakeClient)
    return FakeClient


def read(folder: Path, end: int, seconds: float = 10.0) -> list[int]:
    """Read to an end offset; return the recorded offsets."""
    path = folder / "consume-0.jsonl"
    failures: list[BaseException] = []
    with EventWriter(path) as writer:
        reader = TopicConsumer(PLAN, writer, failures.append)
        reader.start()
        try:
            reader.read_to({0: end}, seconds)
        finally:
            reader.cut()
            reader.join(5)
    assert failures == []
    return [line["offset"] for line in read_lines(path)]


def test_the_end_may_be_a_marker_or_an_aborted_record(
    client: type[FakeClient], tmp_path: Path
) -> None:
    eof = KafkaError._PARTITION_EOF
    client.messages = [FakeMessage(0), FakeMessage(1), FakeMessage(4), FakeMessage(9, eof)]
    assert read(tmp_path, end=9) == [0, 1, 4]


def test_an_earlier_end_of_the_partition_does_not_end_the_read(
    client: type[FakeClient], tmp_path: Path
) -> None:
    client.messages = [FakeMessage(0), FakeMessage(1, KafkaError._PARTITION_EOF)]
    with pytest.raises(InsyncError, match=r"at offsets \{0: 1\} of \{0: 2\}, last error: none"):
        read(tmp_path, end=2, seconds=0.3)


def test_the_clients_error_is_reported_when_the_end_is_not_reached(
    client: type[FakeClient], tmp_path: Path
) -> None:
    client.messages = [FakeMessage(None, KafkaError._ALL_BROKERS_DOWN)]
    with pytest.raises(InsyncError, match="last error: _ALL_BROKERS_DOWN"):
        read(tmp_path, end=1, seconds=0.3)


def test_only_committed_records_are_requested(client: type[FakeClient], tmp_path: Path) -> None:
    client.messages = []
    with EventWriter(tmp_path / "consume-0.jsonl") as writer:
        reader = TopicConsumer(PLAN, writer, lambda _: None)
    settings = reader._client.settings  # type: ignore[attr-defined]
    assert settings["isolation.level"] == "read_committed"
