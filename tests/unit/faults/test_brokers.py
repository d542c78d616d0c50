"""Faults that send requests to brokers: election and queue stall, without a broker."""

import mmap
import struct
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.faults.base import FaultContext
from insync.faults.kinds import queue_stall
from insync.faults.kinds.elect import ElectFault, ElectPlan
from insync.faults.kinds.queue_stall import QueueStallFault
from insync.faults.support.control import HEADER_BYTES, RULE_BYTES, ControlFile

PLAN = ElectPlan(topic="t", replicas={0: [2, 1, 3], 1: [2, 1, 3]})


def occasion(kind: str) -> FaultContext:
    return FaultContext(arm="stock", repeat=0, kind=kind, broker=2, planned_ms=0)


class Brokers:
    """Answers requests to ports; 0 means accepted, an OSError means no answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: int | OSError) -> None:
        self.asked: list[tuple[int, bytes]] = []
        self.leaders = {0: 1, 1: 1, 2: 2}
        self._answers = {int(port.lstrip("p")): answer for port, answer in answers.items()}
        monkeypatch.setattr(wire, "ask", self._ask)

    def fault(self) -> ElectFault:
        return ElectFault(
            lambda: list(self._answers), lambda: self.leaders, PLAN, occasion("elect")
        )

    def _ask(self, port: int, request: bytes, _: float) -> int:
        self.asked.append((port, request))
        answer = self._answers[port]
        if isinstance(answer, OSError):
            raise answer
        if answer == 0 and b"\x00\x2b" in request[:8]:
            self.leaders = {0: 2, 1: 2, 2: 2}
        return answer


def test_an_election_is_sent_until_the_controller_accepts_and_counts_moved_leaders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brokers = Brokers(monkeypatch, p1=wire.NOT_CONTROLLER, p2=OSError("silent"), p3=0)
    fault = brokers.fault()
    fault.prepare()
    assert [port for port, _ in brokers.asked] == [1, 2, 3] * 2
    assert brokers.asked[2][1] == wire.reassign("t", 0, [2, 1, 3], 4_000)
    fault.inject()
    assert brokers.asked[-1][1] == wire.elect_preferred("t", [0, 1], 4_000)
    fault.lift()
    assert fault.evidence().figures == {"moved": 2.0}


def test_an_election_that_is_refused_or_unanswered_names_every_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brokers = Brokers(monkeypatch, p1=OSError("silent"), p2=7, p3=0)
    with pytest.raises(InsyncError, match="election of t: 1: silent, 2: error 7"):
        brokers.fault().inject()


def test_an_election_that_moves_no_leader_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(monkeypatch, p1=0)
    monkeypatch.setattr("insync.faults.kinds.elect.ANSWERS_WITHIN_S", 0.01)
    monkeypatch.setattr(wire, "elect_preferred", lambda *_: bytes(8))
    fault = brokers.fault()
    fault.inject()
    assert fault.evidence().figures == {"moved": 0.0}


class Broker:
    """Acts as the broker of a queue stall: `holds` of its threads take a stalled call."""

    def __init__(self, tmp_path: Path, holds: int) -> None:
        self.control = ControlFile.create(tmp_path / "control", tmp_path, capacity=4)
        self.path = tmp_path / "control"
        self.holds = holds
        self.sent: list[bytes] = []
        self.closed = 0
        self.topics: list[tuple[str, int]] = []
        self._poke(20, "@I", 1)  # attached

    def fault(self, monkeypatch: pytest.MonkeyPatch) -> QueueStallFault:
        monkeypatch.setattr(wire, "connect", lambda *_: self)
        monkeypatch.setattr(queue_stall, "HELD_WITHIN_S", 0.05)
        return QueueStallFault(
            self.control, lambda: 9092, lambda *made: self.topics.append(made), "t-q", 3,
            occasion("queue-stall"),
        )  # fmt: skip

    def sendall(self, request: bytes) -> None:
        self.sent.append(request)
        slot = len(self.sent) - 1
        if slot < self.holds:
            self.hold(slot, 1)

    def hold(self, slot: int, count: int) -> None:
        self._poke(HEADER_BYTES + slot * RULE_BYTES + 12, "@I", count)

    def __enter__(self) -> "Broker":
        return self

    def __exit__(self, *_: object) -> None:
        self.closed += 1

    def _poke(self, offset: int, code: str, *values: int) -> None:
        with self.path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            struct.pack_into(code, mapped, offset, *values)


@pytest.mark.parametrize("holds", [3, 2])
def test_a_queue_stall_reports_whether_every_thread_was_stalled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: int
) -> None:
    broker = Broker(tmp_path, holds)
    fault = broker.fault(monkeypatch)
    fault.prepare()
    assert broker.topics == [("t-q", 3)]
    fault.inject()
    assert broker.sent == [wire.fetch("t-q", partition) for partition in range(3)]
    drain = threading.Timer(0.05, lambda: [broker.hold(slot, 0) for slot in range(3)])
    drain.start()
    begun = time.monotonic()
    fault.lift()
    assert time.monotonic() - begun > 0.02
    fault.lift()
    line = fault.evidence()
    assert line.figures == {"threads": 3.0, "held": float(holds)}
    assert ((line.acted_ms or 0) > 0) == (holds == 3)
    assert broker.closed == 3


def test_a_broker_without_the_shim_is_an_error(tmp_path: Path, monkeypatch: Any) -> None:
    broker = Broker(tmp_path, 3)
    broker._poke(20, "@I", 0)
    with pytest.raises(InsyncError, match="broker 2 did not load the stall shim"):
        broker.fault(monkeypatch).inject()
