"""The reads in transactions continue after a commit, and begin again after any other end."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from confluent_kafka import Consumer, KafkaError

from event_lines import read_lines
from insync.events.writer import EventWriter
from insync.workload.transactional import TransactionReader
from insync.workload.value import value
from unit.fake_producer import FakeMessage
from unit.workload.plans import BASE

PLAN = replace(BASE, partitions=(0, 1))


class FakeClient:
    """Two partitions with records at every second offset, which is their sequence number."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
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
    return FakeClient({})


def reader_of(folder: Path, client: FakeClient) -> TransactionReader:
    def make(settings: dict[str, Any]) -> Consumer:
        client.settings = settings
        return cast(Consumer, client)

    return TransactionReader(PLAN, 1, EventWriter(folder / "reads.jsonl"), make)


def test_a_committed_transaction_is_continued_and_another_one_read_again(
    tmp_path: Path, client: FakeClient
) -> None:
    reader = reader_of(tmp_path, client)
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
    tmp_path: Path, client: FakeClient
) -> None:
    reader = reader_of(tmp_path, client)
    reader.read(1, 2)
    reader.ended(committed=True)
    reader.read(3, 0)
    reader.ended(committed=False)
    reader.read(5, 2)
    assert client.assigned == [{0: 0, 1: 0}]
