"""A run's lines on their way to a topic: nothing waits for them, and nothing is lost silently."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from insync.errors import InsyncError
from insync.events.topic import EventTopic
from insync.events.writer import EventFolder
from insync.run.publish import isr_tail
from insync.run.publish import publisher as publish
from insync.run.publish.isr_tail import IsrTail
from insync.run.publish.publisher import Publisher

NOBODY = "127.0.0.1:1"


def test_a_topic_that_cannot_be_reached_costs_its_lines_and_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(publish, "QUEUE_RECORDS", 100)
    monkeypatch.setattr(publish, "FLUSH_SECONDS", 0.2)
    began = time.monotonic()
    with Publisher(EventTopic("insync-events"), NOBODY, "run") as publisher:
        send = publisher.file("stock", "isr.jsonl")
        for _ in range(150):
            send(b"{}")
        assert publisher.dropped == 50, "what finds the queue full"
    assert time.monotonic() - began < 20
    assert (publisher.sent, publisher.dropped) == (0, 150)


def test_a_line_is_published_as_it_is_in_the_file(tmp_path: Path) -> None:
    came: list[tuple[str, bytes]] = []
    folder = EventFolder(tmp_path, lambda name: lambda line: came.append((name, line)))
    with folder.open("a.jsonl") as file:
        file.write({"v": 1, "words": "ä"})
        file.write({"v": 2})
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines()
    assert came == [("a.jsonl", line) for line in lines]


def test_without_a_topic_there_are_files_only(tmp_path: Path) -> None:
    with EventFolder(tmp_path).open("a.jsonl") as file:
        file.write({"v": 1})
    assert (tmp_path / "a.jsonl").read_bytes() == b'{"v":1}\n'


class Log:
    """A controller's log that grows; read as `isr_events` reads one."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.broken = False

    def read(self, *_: object) -> Iterator[dict[str, Any]]:
        if self.broken:
            raise InsyncError("metadata log: no segments")
        yield from self.lines


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Log:
    log = Log()
    monkeypatch.setattr(isr_tail, "isr_events", log.read)
    monkeypatch.setattr(isr_tail, "EVERY_SECONDS", 0.01)
    return log


def tail(came: list[dict[str, Any]]) -> IsrTail:
    arm_cluster: Any = SimpleNamespace(cluster=None, kafka=None, arm="stock")
    return IsrTail(arm_cluster, ["judged"], lambda line: came.append(json.loads(line)))


def test_each_change_is_sent_once_and_those_of_other_topics_never(log: Log) -> None:
    came: list[dict[str, Any]] = []
    told = [{"topic": "judged", "n": 1}, {"topic": None, "n": 2}, {"topic": "judged", "n": 3}]
    log.lines = [told[0], {"topic": "insync-events", "n": 0}]
    with tail(came):
        while not came:
            time.sleep(0.01)
        log.lines = [*log.lines, told[1]]
        while len(came) < 2:
            time.sleep(0.01)
        log.lines = [*log.lines, told[2]]
    assert came == told, "what came last is read when the block is left"


def test_a_log_that_cannot_be_read_yet_delays_only(log: Log) -> None:
    came: list[dict[str, Any]] = []
    log.lines, log.broken = [{"topic": "judged", "n": 1}], True
    with tail(came) as reading:
        while reading.failure is None:
            time.sleep(0.01)
        log.broken = False
    assert [line["n"] for line in came] == [1]
    assert reading.failure is None
