"""A repeat is steady once no record waits for its ack behind older ones."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from insync.events.writer import EventFolder
from insync.workload import producer, workload
from insync.workload.workload import Workload
from unit.fake_producer import FakeClient
from unit.workload.plans import BASE
from waiting import wait_for

LATE_MS = 200
PLAN = replace(BASE, partitions=(0, 1), rate=100)


class NoConsumer(workload.TopicConsumer):
    """A consumer that reads nothing."""

    def __init__(self, *arguments: Any, **others: Any) -> None:
        super().__init__(*arguments, **others)
        self._client.close()

    def run(self) -> None:
        """End at once."""


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[FakeClient]:
    """Replace the clients by ones that do not answer yet; return the producers'."""
    made: list[FakeClient] = []

    def client(settings: dict[str, Any]) -> FakeClient:
        made.append(FakeClient(settings))
        made[-1].answering = False
        return made[-1]

    monkeypatch.setattr(producer, "Producer", client)
    monkeypatch.setattr(workload, "TopicConsumer", NoConsumer)
    return made


@pytest.fixture
def running(clients: list[FakeClient], tmp_path: Path) -> Iterator[Workload]:
    """Start two producers of which no record is answered until its ack is late."""
    with Workload(PLAN, EventFolder(tmp_path)) as started:
        started.start()
        for each in clients:
            # A record is due every 10 ms, so that the first one then waits for 2 * LATE_MS.
            wait_for(partial(len, each.values), lambda sent: sent > 2 * LATE_MS / 10)
        yield started


def test_after_a_first_ack_records_may_still_be_late(
    running: Workload, clients: list[FakeClient]
) -> None:
    for each in clients:
        each.answer(1)
    running.await_acks(0)
    assert not running.await_on_time(LATE_MS, 0.1)


def test_the_records_of_every_producer_must_be_on_time(
    running: Workload, clients: list[FakeClient]
) -> None:
    clients[0].answering = True
    assert not running.await_on_time(LATE_MS, 0.5)
    clients[1].answering = True
    assert running.await_on_time(LATE_MS, 20)
