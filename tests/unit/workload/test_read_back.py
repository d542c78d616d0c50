"""A repeat ends with a fresh consumer that reads everything again, and shows a lost tail."""

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from event_lines import read_lines
from insync.errors import InsyncError
from insync.events.schema import READ_BACK
from insync.events.writer import EventFolder
from insync.workload import producer, workload
from insync.workload.workload import Workload
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
    """Replace the clients; the list holds how far the live and the fresh consumer read."""
    monkeypatch.setattr(producer, "Producer", lambda _: None)
    monkeypatch.setattr(workload, "TopicConsumer", FakeConsumer)
    FakeConsumer.reads, FakeConsumer.made = [], []
    yield FakeConsumer.reads


def read_back(
    folder: Path, ends: list[int], monkeypatch: pytest.MonkeyPatch
) -> list[tuple[bool, int, int]]:
    """Read back with these answers about the end offset; return fresh, position, end."""
    answers = iter(ends)
    last = [ends[-1]]

    def end_offsets(self: Workload, seconds: float) -> Mapping[int, int]:
        return {0: next(answers, last[0])}

    monkeypatch.setattr(Workload, "_end_offsets", end_offsets)
    with Workload(BASE, EventFolder(folder)) as running:
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
    reads: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    read: list[int],
    ends: list[int],
    found: list[tuple[bool, int, int]],
) -> None:
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
    with Workload(BASE, EventFolder(tmp_path)) as running:
        monkeypatch.setattr(running, "_producers", [])
        running.start()
        monkeypatch.setattr(running, "_end_offsets", lambda _: {0: 7})
        with pytest.raises(InsyncError, match=r"nothing was read for 0\.1 s: at offsets"):
            running.read_back(0.1)
    closed.set()
    assert [line["position"] for line in read_lines(tmp_path / READ_BACK)] == [5]


class FakeAdmin:
    """A broker that gives its answers one after the other, the last one again and again."""

    answers: list[int | None]

    def __init__(self, _: dict[str, Any]) -> None:
        """Take the settings."""

    def list_topics(self, _: str, timeout: float) -> None:
        """Find the leaders."""

    def list_offsets(self, query: Any, request_timeout: float) -> dict[Any, SimpleNamespace]:
        """Return the next answer; None is an error."""
        answers = FakeAdmin.answers
        offset = answers.pop(0) if len(answers) > 1 else answers[0]
        return {place: SimpleNamespace(result=lambda: self._result(offset)) for place in query}

    def _result(self, offset: int | None) -> SimpleNamespace:
        if offset is None:
            raise KafkaException(KafkaError(KafkaError.OFFSET_NOT_AVAILABLE))
        return SimpleNamespace(offset=offset)


@pytest.mark.parametrize(("seconds", "answers"), [(30, [None, None, 7]), (0.05, [None])])
def test_the_ends_are_asked_for_again_until_the_time_is_over(
    reads: list[int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    answers: list[int | None],
) -> None:
    """A leader after a power failure of the former one knows its high watermark only later."""
    reads += [7]
    FakeAdmin.answers = list(answers)
    monkeypatch.setattr(workload, "AdminClient", FakeAdmin)
    monkeypatch.setattr(workload, "AGAIN_SECONDS", 0.001)
    with Workload(BASE, EventFolder(tmp_path)) as running:
        if answers[-1] is not None:
            assert running._end_offsets(seconds) == {0: 7}
            return
        with pytest.raises(InsyncError, match=r"end offsets of t-r0: .*OFFSET_NOT_AVAILABLE"):
            running._end_offsets(seconds)
