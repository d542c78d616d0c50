"""Publishing a run's lines to a topic never blocks the run, and every lost line is counted."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from insync.errors import InsyncError
from insync.events.schema import EventTopic
from insync.events.writer import EventFolder
from insync.run import publish
from insync.run.publish import IsrTail, Publisher
from waiting import wait_for

NOBODY = "127.0.0.1:1"


def test_an_unreachable_topic_loses_lines_and_does_not_delay_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(publish, "QUEUE_RECORDS", 100)
    monkeypatch.setattr(publish, "FLUSH_SECONDS", 0.2)
    began = time.monotonic()
    with Publisher(EventTopic("insync-events"), NOBODY, "run") as publisher:
        send = publisher.file("stock", "isr.jsonl")
        for _ in range(150):
            send(b"{}")
        assert publisher.dropped == 50, "lines that meet a full queue"
    assert time.monotonic() - began < 20
    assert publisher.dropped == 150


def test_a_published_line_equals_the_line_in_the_file(tmp_path: Path) -> None:
    came: list[tuple[str, bytes]] = []
    folder = EventFolder(tmp_path, lambda name: lambda line: came.append((name, line)))
    with folder.open("a.jsonl") as file:
        file.write({"v": 1, "words": "ä"})
        file.write({"v": 2})
    lines = (tmp_path / "a.jsonl").read_bytes().splitlines()
    assert came == [("a.jsonl", line) for line in lines]


class Log:
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
    monkeypatch.setattr(publish, "isr_events", log.read)
    monkeypatch.setattr(publish, "EVERY_SECONDS", 0.01)
    return log


def tail(came: list[dict[str, Any]]) -> IsrTail:
    arm_cluster: Any = SimpleNamespace(cluster=None, kafka=None, arm="stock")
    return IsrTail(arm_cluster, ["judged"], lambda line: came.append(json.loads(line)))


def test_each_change_is_sent_once_and_changes_of_other_topics_never(log: Log) -> None:
    came: list[dict[str, Any]] = []
    changes = [{"topic": "judged", "n": 1}, {"topic": None, "n": 2}, {"topic": "judged", "n": 3}]
    log.lines = [changes[0], {"topic": "insync-events", "n": 0}]
    with tail(came):
        wait_for(lambda: came, bool)
        log.lines = [*log.lines, changes[1]]
        wait_for(lambda: came, lambda lines: len(lines) >= 2)
        log.lines = [*log.lines, changes[2]]
    assert came == changes, "the last changes are read when the block ends"


def test_a_log_that_cannot_be_read_yet_only_delays_the_changes(log: Log) -> None:
    came: list[dict[str, Any]] = []
    log.lines, log.broken = [{"topic": "judged", "n": 1}], True
    with tail(came) as reading:
        wait_for(lambda: reading.failure, bool)
        log.broken = False
    assert [line["n"] for line in came] == [1]
    assert reading.failure is None
