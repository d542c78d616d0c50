"""Consumers read all again at the end of a repeat, and in transactions after the last commit."""

import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaError, KafkaException

from event_lines import read_lines
from insync.errors import InsyncError
from insync.events.schema import READ_BACK
from insync.events.writer import EventWriter
from insync.workload import producer, workload
from insync.workload.transactional import TransactionReader
from insync.workload.value import value
from insync.workload.workload import Workload
from unit.fake_producer import FakeMessage
from unit.workload.plans import BASE


class FakeConsumer(workload.TopicConsumer):
    """A consumer that has read as far as the test says, without a client."""

    reads: list[int]
    made: list[bool]

    def __init__(self, *arguments: Any, fresh: bool = False, **others: Any) -> None:
        super().__init__(*arguments, fresh=fresh, **others)
        self._client.close()
        self._next = {0: FakeConsumer.reads.pop(0)}
        FakeConsumer.made.append(fresh)

    def run(self) -> None:
        """End at once."""


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    monkeypatch.setattr(producer, "Producer", lambda _: None)
    monkeypatch.setattr(workload, "TopicConsumer", FakeConsumer)
    FakeConsumer.reads, FakeConsumer.made = [], []
    yield FakeConsumer.reads


def read_back(
    folder: Path, ends: list[int], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[bool, int, int]]:
    """Read back with these answers about the end offset; return fresh, position, end."""
    answers = chain(ends, repeat(ends[-1]))
    monkeypatch.setattr(Workload, "_end_offsets", lambda *_: {0: next(answers)})
    with Workload(BASE, folder) as running:
        running._consumers[0].start()
        try:
            running.read_back(5)
        finally:
            lines = read_lines(folder / READ_BACK)
    return [(line["fresh"], line["position"], line["end_offset"]) for line in lines]


@pytest.mark.parametrize(
    ("read", "ends", "found"),
    [
        ([7, 7], [7, 7], [(False, 7, 7), (True, 7, 7)]),
        ([7, 7], [5, 5, 7], [(False, 7, 5), (True, 7, 7)]),
        ([7, 5], [5], [(False, 7, 5), (True, 5, 5)]),
    ],
    ids=["to the end", "an end below what was read is asked for again", "and if it stays recorded"],
)
def test_both_consumers_read_to_the_end(
    reads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: list[int],
    ends: list[int], found: list[tuple[bool, int, int]],
) -> None:  # fmt: skip
    if ends == [5]:
        monkeypatch.setattr(workload, "TRUNCATED_SECONDS", 0.1)
    reads += read
    assert read_back(tmp_path, ends, monkeypatch) == found
    assert FakeConsumer.made == [False, True]


def test_a_fresh_consumer_that_does_not_reach_the_end_ends_the_repeat_and_is_recorded(
    reads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads += [7, 6]
    with pytest.raises(InsyncError, match="read-back of t-r0 not complete"):
        read_back(tmp_path, [7], monkeypatch)
    last = read_lines(tmp_path / READ_BACK)[-1]
    assert (last["fresh"], last["position"], last["end_offset"]) == (True, 6, 7)


def test_a_consumer_that_goes_on_reading_is_waited_for(
    reads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy host a long topic takes longer than the limit."""

    def two_more(self: FakeConsumer, timeout: float | None = None) -> None:
        self._next[0] = min(7, self._next[0] + 2)

    monkeypatch.setattr(FakeConsumer, "is_alive", lambda self: not self._at_end())
    monkeypatch.setattr(FakeConsumer, "join", two_more)
    reads += [7, 0]
    assert read_back(tmp_path, [7, 7], monkeypatch) == [(False, 7, 7), (True, 7, 7)]


def test_a_consumer_that_hangs_in_its_close_does_not_keep_the_repeat_from_ending(
    reads: list[int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    closed = threading.Event()
    monkeypatch.setattr(FakeConsumer, "run", lambda _: closed.wait())
    monkeypatch.setattr(workload, "CLOSE_SECONDS", 0.2)
    reads += [5]
    with Workload(BASE, tmp_path) as running:
        monkeypatch.setattr(running, "_producers", [])
        running.start()
        monkeypatch.setattr(running, "_end_offsets", lambda _: {0: 7})
        with pytest.raises(InsyncError, match=r"nothing was read for 0\.1 s: at offsets"):
            running.read_back(0.1)
    closed.set()
    assert [line["position"] for line in read_lines(tmp_path / READ_BACK)] == [5]


@pytest.mark.parametrize(("seconds", "answers"), [(30, [None, None, 7]), (0.05, [None])])
def test_the_ends_are_asked_for_again_until_the_time_is_over(
    reads: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float,
    answers: list[int | None],
) -> None:  # fmt: skip
    """A leader after a power failure of the former one knows its high watermark only later."""
    turns = chain(answers, repeat(answers[-1]))

    def result() -> SimpleNamespace:
        offset = next(turns)
        if offset is None:
            raise KafkaException(KafkaError(KafkaError.OFFSET_NOT_AVAILABLE))
        return SimpleNamespace(offset=offset)

    found = SimpleNamespace(result=result)
    admin = Mock(list_offsets=lambda query, **_: dict.fromkeys(query, found))
    monkeypatch.setattr(workload, "AdminClient", lambda _: admin)
    monkeypatch.setattr(workload, "AGAIN_SECONDS", 0.001)
    reads += [7]
    with Workload(BASE, tmp_path) as running:
        if answers[-1] is not None:
            assert running._end_offsets(seconds) == {0: 7}
            return
        with pytest.raises(InsyncError, match=r"end offsets of t-r0: .*OFFSET_NOT_AVAILABLE"):
            running._end_offsets(seconds)


PLAN = replace(BASE, partitions=(0, 1))


class FakeClient:
    """Two partitions with records at every second offset, which is their sequence number."""

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.assigned: list[dict[int, int]] = []
        self.closed = False
        self._at: dict[int, int] = {}

    def assign(self, places: list[Any]) -> None:
        self.assigned.append({place.partition: place.offset for place in places})
        self._at = dict(self.assigned[-1])

    def consume(self, records: int, _: float) -> list[FakeMessage]:
        """Return the next records of both partitions in turn, and the end of one."""
        found = [FakeMessage(99, KafkaError._PARTITION_EOF)]
        for nth in range(records):
            partition = nth % 2
            offset = self._at[partition] + self._at[partition] % 2
            written = value(PLAN.topic, partition, offset, random.Random(1), PLAN.record_bytes)  # noqa: S311
            found.append(FakeMessage(offset, value=written, partition=partition))
            self._at[partition] = offset + 1
        return found

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def client() -> FakeClient:
    return FakeClient()


@pytest.fixture
def reader(tmp_path: Path, client: FakeClient) -> TransactionReader:
    """Return a reader by this client, which writes what it reads to reads.jsonl."""

    def make(settings: dict[str, Any]) -> Any:
        client.settings = settings
        return client

    return TransactionReader(PLAN, 1, EventWriter(tmp_path / "reads.jsonl"), make)


def test_a_committed_transaction_is_continued_and_another_one_read_again(
    tmp_path: Path, client: FakeClient, reader: TransactionReader
) -> None:
    for transaction, committed in ((1, True), (3, False), (5, True), (7, True)):
        reader.read(transaction, 4)
        reader.ended(committed=committed)
    reader.close()
    lines = read_lines(tmp_path / "reads.jsonl")
    of_first = [line for line in lines if line["partition"] == 0]
    offsets = [(line["transaction"], line["offset"]) for line in of_first]
    assert offsets == [(1, 0), (1, 2), (3, 4), (3, 6), (5, 4), (5, 6), (7, 8), (7, 10)]
    assert [line["nth"] for line in lines] == [*range(16)]
    assert {(line["producer"], line["seq"] == line["offset"]) for line in lines} == {(1, True)}
    assert client.assigned == [{0: 0, 1: 0}, {0: 3, 1: 3}], "assigned again only after the abort"
    assert client.closed
    assert client.settings["isolation.level"] == "read_committed"


def test_an_aborted_transaction_that_read_nothing_changes_no_position(
    client: FakeClient, reader: TransactionReader
) -> None:
    reader.read(1, 2)
    reader.ended(committed=True)
    reader.read(3, 0)
    reader.ended(committed=False)
    reader.read(5, 2)
    assert client.assigned == [{0: 0, 1: 0}]
