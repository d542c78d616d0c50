"""Faults that send requests to brokers: election and queue stall, without a broker."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, Mock

import pytest

from fault_runs import OneNode, planned
from insync.brokers.kafka import wire
from insync.brokers.kafka.versions import pinned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.cluster import FaultCluster
from insync.faults.support.control import ControlFile
from insync.nodes import ring
from unit.faults.evidence import acted, lacks

pytestmark = pytest.mark.usefixtures("soon")


class Brokers:
    """Answers requests to ports; 0 means accepted, an OSError means no answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: int | OSError) -> None:
        self.asked: list[tuple[int, bytes]] = []
        self.leaders = {0: 1, 1: 1, 2: 2}
        self.first = {0: 2, 1: 2}
        self.isr = [1, 2, 3]
        self._answers = dict(enumerate(answers, 1))
        monkeypatch.setattr(wire, "ask", self._ask)
        monkeypatch.setattr(FaultCluster, "leaders_seen_by", lambda *_: self.leaders)
        monkeypatch.setattr(FaultCluster, "assignment_seen_by", lambda *_: self._assignment())

    def fault(self, **keys: Any) -> Fault[Any]:
        """Elect broker 2 where brokers 1 to 3 have these numbers as ports; 1 leads."""
        nodes = {number: SimpleNamespace(port=number) for number in (1, 2, 3)}
        cluster: Any = SimpleNamespace(nodes=nodes)
        kafka: Any = SimpleNamespace(release=pinned("4.3.1"))
        running = FaultCluster(kafka=kafka, cluster=cluster, controls={}, home=Path())
        return planned(
            running, "elect", broker=2, partitions=[0, 1], topic="t", leaders=[1, 1], **keys
        )

    def _assignment(self) -> dict[int, tuple[list[int], list[int]]]:
        return {number: (ring(first), self.isr) for number, first in self.first.items()}

    def _ask(self, port: int, request: bytes, _: float) -> int:
        self.asked.append((port, request))
        answer = self._answers[port]
        if isinstance(answer, OSError):
            raise answer
        if answer == 0 and b"\x00\x2b" in request[:8]:
            self.leaders = {0: 2, 1: 2, 2: 2}
        return answer


Answering = Callable[..., Brokers]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    """Return what makes brokers that give these answers."""
    return partial(Brokers, monkeypatch)


def test_an_election_is_sent_until_the_controller_accepts_and_counts_moved_leaders(
    answering: Answering,
) -> None:
    brokers = answering(0, wire.NOT_CONTROLLER, OSError("silent"))
    fault = brokers.fault()
    fault.prepare()
    assert [port for port, _ in brokers.asked] == [1, 1]
    assert brokers.asked[0][1] == wire.reassign("t", 0, [2, 3, 1], 4_000)
    fault.inject()
    assert [port for port, _ in brokers.asked[2:]] == [2, 3, 1], "the old leader is asked last"
    assert brokers.asked[-1][1] == wire.elect("t", [0, 1], 4_000)
    fault.lift()
    assert fault.evidence().figures == {"moved": 2}


def test_a_second_election_of_a_partition_first_puts_its_replicas_in_order(
    answering: Answering,
) -> None:
    brokers = answering(7, 0, 0)
    brokers.first[1] = 1
    fault = brokers.fault()
    fault.inject()
    assert brokers.asked[0] == (2, wire.reassign("t", 1, [2, 3, 1], 4_000)), "not the old leader"
    assert len(brokers.asked) == 2
    assert fault.evidence().figures == {"moved": 2}


def test_an_election_that_is_refused_or_unanswered_names_every_response(
    answering: Answering,
) -> None:
    with pytest.raises(InsyncError, match="election of t: 2: silent, 3: error 7"):
        answering(0, OSError("silent"), 7).fault().inject()


def test_an_election_that_moves_no_leader_is_reported(
    answering: Answering, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "elect", lambda *_: bytes(8))
    assert acted(answering(0, 0, 0).fault()).figures == {"moved": 0}


@pytest.mark.parametrize(
    ("leader", "isr", "lacking"),
    [
        (-1, [1], None),
        (-1, [], None),
        (1, [1], "without_isr was 0, expected exactly 2"),
        (-1, [1, 2], "without_isr was 0, expected exactly 2"),
    ],
)
def test_an_unclean_election_shows_that_the_isr_was_gone_before(
    answering: Answering, leader: int, isr: list[int], lacking: str | None
) -> None:
    brokers = answering(0, 0, 0)
    brokers.leaders, brokers.isr = {0: leader, 1: leader, 2: 2}, isr
    line = acted(brokers.fault(type="unclean"))
    assert brokers.asked[2:] == [(2, wire.elect("t", [0, 1], 4_000, wire.UNCLEAN))]
    assert line.mode == "unclean"
    assert lacks("elect", line.figures, type="unclean", partitions=[0, 1], for_ms=0) == lacking


@pytest.mark.parametrize("holds", [3, 2])
def test_a_queue_stall_reports_whether_every_thread_was_stalled(
    control: ControlFile, monkeypatch: pytest.MonkeyPatch, holds: int
) -> None:
    sent: list[bytes] = []

    def take(request: bytes) -> None:
        control.slots[len(sent)].held_now = int(len(sent) < holds)
        sent.append(request)

    def drain() -> None:
        for slot in control.slots:
            slot.held_now = 0

    client = MagicMock(sendall=take)
    client.__enter__.return_value = client
    monkeypatch.setattr(wire, "connect", lambda *_: client)
    cluster = OneNode(controls={2: control}, make_filled_topic=Mock())
    fault = planned(cluster, "queue-stall", broker=2, topic="t", io_threads=3)
    fault.prepare()
    cluster.make_filled_topic.assert_called_once_with("t-q2-0", 2, 3)
    fault.inject()
    assert sent == [wire.fetch("t-q2-0", partition) for partition in range(3)]
    threading.Timer(0.05, drain).start()
    fault.lift()
    assert not any(slot.held_now for slot in control.slots), "it waits until no call is held"
    fault.lift()
    line = fault.evidence()
    assert line.figures == {"threads": 3, "held": holds}
    assert (line.acted_ms > 0) == (holds == 3)
    assert client.__exit__.call_count == 3
