"""The consumer of committed records: the positions it assumes, and when it is done."""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from confluent_kafka import KafkaError

from event_lines import read_lines
from insync.errors import InsyncError
from insync.events.writer import EventWriter
from insync.workload import consumer
from insync.workload.consumer import TopicConsumer
from insync.workload.plan import WorkloadPlan
from insync.workload.value import value
from insync.workload.workload import Workload
from unit.fake_producer import FakeMessage
from unit.workload.plans import BASE
from waiting import wait_for


def intact(seq: int, topic: str = "t-r0", partition: int = 0) -> bytes:
    return value(topic, partition, seq, random.Random(1), 32)  # noqa: S311


def message(offset: int) -> FakeMessage:
    return FakeMessage(offset, value=intact(offset))


class FakeConsumer:
    messages: ClassVar[list[FakeMessage]] = []

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.idle = threading.Event()
        self.left = list(FakeConsumer.messages)

    def assign(self, _: object) -> None:
        """Accept it."""

    def poll(self, seconds: float) -> FakeMessage | None:
        if not self.left:
            self.idle.set()
            threading.Event().wait(seconds / 10)
            return None
        return self.left.pop(0)

    def close(self) -> None:
        """End."""


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeConsumer, "messages", [])
    monkeypatch.setattr(consumer, "Consumer", FakeConsumer)


@contextmanager
def reading(
    folder: Path, plan: WorkloadPlan = BASE, *, fresh: bool = False
) -> Iterator[tuple[TopicConsumer, FakeConsumer]]:
    """Make a consumer, which has not failed when the block ends."""
    failures: list[BaseException] = []
    with EventWriter(folder / "consume-0.jsonl") as writer:
        reader = TopicConsumer(plan, writer, failures.append, fresh=fresh)
        yield reader, reader._client  # type: ignore[misc]
    assert failures == []


def lines_of(
    folder: Path, end: int, seconds: float = 10.0, *, fresh: bool = False
) -> list[dict[str, Any]]:
    """Let a consumer read the client's messages, and then up to an end; return its lines."""
    with reading(folder, fresh=fresh) as (reader, client):
        reader.start()
        assert client.idle.wait(60)
        try:
            reader.read_to({0: end}, seconds)
        finally:
            reader.cut()
            reader.join()
    return read_lines(folder / "consume-0.jsonl")


def test_the_end_may_be_a_marker_or_aborted(tmp_path: Path) -> None:
    FakeConsumer.messages += [*map(message, (0, 1, 4)), FakeMessage(9, KafkaError._PARTITION_EOF)]
    assert [line["offset"] for line in lines_of(tmp_path, end=9)] == [0, 1, 4]


def test_an_earlier_end_of_the_partition_does_not_end_the_read(tmp_path: Path) -> None:
    FakeConsumer.messages += [message(0), FakeMessage(1, KafkaError._PARTITION_EOF)]
    with pytest.raises(InsyncError, match=r"at offsets \{0: 1\} of \{0: 2\}, last error: none"):
        lines_of(tmp_path, end=2, seconds=0.1)


def test_the_clients_error_is_reported_when_the_end_is_not_reached(tmp_path: Path) -> None:
    FakeConsumer.messages.append(FakeMessage(None, KafkaError._ALL_BROKERS_DOWN))
    with pytest.raises(InsyncError, match="last error: _ALL_BROKERS_DOWN"):
        lines_of(tmp_path, end=1, seconds=0.1)


def test_a_consumer_in_a_rack_remembers_from_which_brokers_it_reads(tmp_path: Path) -> None:
    with reading(tmp_path, replace(BASE, read_from=2, fetch_wait_ms=900)) as (reader, client):
        settings = client.settings
    assert (settings["client.rack"], settings["fetch.wait.max.ms"]) == ("rack-2", 900)
    assert settings["isolation.level"] == "read_committed"
    for broker in (1, 2):
        said = {"topics": {"t-r0": {"partitions": {"0": {"broker": broker}}}}}
        settings["stats_cb"](json.dumps(said))
    assert reader.read_from == {1, 2}


@pytest.mark.parametrize(("seen", "problem"), [({1, 2}, None), ({1, -1}, r"\[-1, 1\], expected")])
def test_consumers_that_read_from_leaders_alone_end_the_repeat(
    tmp_path: Path, seen: set[int], problem: str | None
) -> None:
    with Workload(replace(BASE, read_from=2), tmp_path) as workload:
        workload._consumers[0].read_from = seen
        with pytest.raises(InsyncError, match=problem) if problem else nullcontext():
            workload.check_read_from()


def test_a_value_that_does_not_fit_is_recorded_as_corrupt_and_stops_nothing(tmp_path: Path) -> None:
    changed = bytearray(intact(2))
    changed[-1] ^= 1
    FakeConsumer.messages += [
        FakeMessage(offset, value=each)
        for offset, each in enumerate((
            intact(7), None, bytes(changed), b"short", intact(3, topic="other"),
            intact(4, partition=5), intact(8),
        ))
    ]  # fmt: skip
    lines = lines_of(tmp_path, end=7)
    assert [(line["offset"], line["seq"], line["nth"]) for line in lines] == [
        (0, 7, 0), (1, -1, 1), (2, -1, 2), (3, -1, 3), (4, -1, 4), (5, -1, 5), (6, 8, 6),
    ]  # fmt: skip
    wrong = [line["corrupt"] for line in lines]
    assert wrong[0] is wrong[6] is None
    assert wrong[1] == "no value"
    assert wrong[2].startswith("checksum ")
    assert wrong[3:6] == [
        "5 bytes, expected at least 20", "record 3 of another topic", "record 4 of partition 5",
    ]  # fmt: skip


def test_the_lines_of_a_fresh_consumer_are_marked(tmp_path: Path) -> None:
    FakeConsumer.messages.append(message(0))
    (line,) = lines_of(tmp_path, end=1, fresh=True)
    assert (line["fresh"], line["consumer"], line["nth"]) == (True, 0, 0)


def test_how_far_it_read_is_recorded_past_the_end(tmp_path: Path) -> None:
    FakeConsumer.messages += map(message, range(3))
    with reading(tmp_path) as (reader, _):
        assert [*reader.read_back()] == []
        reader.start()
        wait_for(lambda: dict(reader.positions), {0: 3}.__eq__)
        reader.read_to({0: 2}, 10)
    (line,) = reader.read_back()
    assert (line.position, line.end_offset, line.fresh) == (3, 2, False)
