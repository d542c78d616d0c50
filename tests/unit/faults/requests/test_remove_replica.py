"""A broker is taken out of the replicas of partitions and added again, without a broker."""

from collections.abc import Sequence
from typing import Any

import pytest

from fault_runs import planned
from insync.errors import InputError
from insync.faults.base import Fault
from insync.faults.cluster import Assignment
from insync.faults.kinds import remove_replica
from insync.scenario.load import parse, source
from unit.faults.evidence import acted

REPLICAS = {0: [1, 2, 3], 1: [2, 3, 1]}
FAULT = '\n[[faults]]\nkind = "remove-replica"\nbroker = 3\npartitions = {0}\nat_ms = 1_500\n'


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remove_replica, "ASSIGNED_WITHIN_S", 0.01)
    monkeypatch.setattr(remove_replica, "JOINED_WITHIN_S", 0.01)


class Cluster:
    """Assigns what it is asked for; replicas in `stuck` partitions never change."""

    def __init__(self, stuck: int | None = None) -> None:
        self.seen: Assignment = {number: (each, each) for number, each in REPLICAS.items()}
        self.asked: list[tuple[int, list[int]]] = []
        self.stuck = stuck

    def fault(self) -> Fault[Any]:
        return planned(self, "remove-replica", broker=3, partitions=[0, 1], leaders=[1, 2])

    def assignment_seen_by(self, *_: object) -> Assignment:
        return self.seen

    def assign(self, _: str, number: int, replicas: Sequence[int]) -> None:
        self.asked.append((number, list(replicas)))
        if number != self.stuck:
            self.seen = {**self.seen, number: (replicas, replicas)}


def test_the_broker_is_removed_and_joins_again() -> None:
    cluster = Cluster()
    fault = cluster.fault()
    fault.prepare()
    assert cluster.asked == []
    fault.inject()
    assert cluster.asked == [(0, [1, 2]), (1, [2, 1])]
    fault.lift()
    fault.lift()
    assert cluster.asked[2:] == [(0, [1, 2, 3]), (1, [2, 3, 1])]
    line = fault.evidence()
    assert line.figures == {"removed": 2.0, "assigned": 2.0, "joined": 2.0}
    assert line.acted_ms > 0


def test_a_replica_that_stays_is_no_evidence() -> None:
    line = acted(Cluster(stuck=1).fault())
    assert (line.figures["removed"], line.acted_ms) == (1.0, 0.0)


def test_a_broker_that_does_not_join_is_reported() -> None:
    cluster = Cluster()
    fault = cluster.fault()
    fault.inject()
    cluster.stuck = 0
    fault.lift()
    assert fault.evidence().figures == {"removed": 2.0, "assigned": 1.0, "joined": 1.0}


def test_a_partition_is_reassigned_once_and_not_at_its_leader() -> None:
    text = source("read-stall") + FAULT.format("[0]") + "for_ms = 1_000\n"
    assert parse(text, "x").faults[-1].removed == (0,)
    twice = text + FAULT.format("[0]") + "for_ms = 1_000\n"
    with pytest.raises(InputError, match="no other election or reassignment is about"):
        parse(twice, "x")
    led = text.replace("broker = 3\npartitions = [0]", "broker = 1\npartitions = [0]")
    with pytest.raises(InputError, match="that broker 1 does not lead"):
        parse(led, "x")
    elected = text + FAULT.format("[0]").replace("remove-replica", "elect")
    with pytest.raises(InputError, match="no other reassignment is about"):
        parse(elected, "x")
