"""A broker becomes a replica of partitions, without a broker."""

from collections.abc import Mapping
from typing import Any

import pytest

from fault_runs import planned
from insync.faults.base import Fault
from insync.faults.kinds import add_replica
from insync.faults.kinds.add_replica import FOLLOWERS, KIND, LEADERS, RATES
from unit.faults.evidence import acted, lacks


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(add_replica, "ASSIGNED_WITHIN_S", 0.01)
    monkeypatch.setattr(add_replica, "JOINED_WITHIN_S", 0.01)


class Cluster:
    """Keeps what is assigned; brokers show the assignment that the test sets."""

    def __init__(self, ignores: int = 0) -> None:
        self.asked: list[tuple[int, list[int]]] = []
        self.seen: dict[int, tuple[list[int], list[int]]] = {}
        self.topic: dict[str, str | None] = {}
        self.brokers: dict[int, dict[str, str | None]] = {}
        self._ignores = ignores
        self.in_progress: dict[int, list[int]] = {}
        self.keeps: int | None = None

    def fault(self, **keys: int) -> Fault[Any]:
        return planned(self, KIND.name, broker=3, partitions=[0, 1], leaders=[1, 2], **keys)

    def show(self, isr: list[int], *partitions: int) -> None:
        self.seen = {partition: ([1, 2, 3], isr) for partition in partitions}

    def assign(self, _: str, partition: int, replicas: list[int] | None) -> None:
        self.asked.append((partition, list(replicas or [])))
        if replicas is None and partition != self.keeps:
            self.in_progress.pop(partition, None)
            self.seen = {**self.seen, partition: ([1, 2], [1, 2])}

    def adding(self, *_: object) -> dict[int, list[int]]:
        return self.in_progress

    def assignment_seen_by(self, *_: object) -> dict[int, tuple[list[int], list[int]]]:
        return self.seen

    def update_topic_configs(self, _: str, settings: Mapping[str, str | None]) -> None:
        self.topic.update(settings)

    def update_configs(self, broker: int, settings: Mapping[str, str | None]) -> None:
        if broker != self._ignores:
            self.brokers.setdefault(broker, {}).update(settings)

    def configs_in_force(self, broker: int, settings: Mapping[str, str]) -> int:
        has = self.brokers.get(broker, {})
        return sum(has.get(name) == value for name, value in settings.items())


def test_the_broker_is_taken_out_before_and_added_at_the_time() -> None:
    cluster = Cluster()
    fault = cluster.fault()
    fault.prepare()
    assert cluster.asked == [(0, [1, 2]), (1, [2, 1])]
    cluster.show([1, 2], 0, 1)
    fault.inject()
    assert cluster.asked[2:] == [(0, [1, 2, 3]), (1, [2, 1, 3])]
    cluster.show([1, 2, 3], 0, 1)
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert line.figures == {"assigned": 2.0, "joined": 2.0}
    assert line.acted_ms > 0


def test_quotas_are_set_before_the_assignment_and_deleted_at_the_end() -> None:
    cluster = Cluster()
    fault = cluster.fault(throttle_bytes_per_s=500)
    fault.prepare()
    assert cluster.brokers == {}
    cluster.show([1, 2, 3], 0, 1)
    fault.inject()
    assert cluster.topic == {LEADERS: "0:1,1:2", FOLLOWERS: "0:3,1:3"}
    assert cluster.brokers == dict.fromkeys((1, 2, 3), dict.fromkeys(RATES, "500"))
    fault.lift()
    assert cluster.topic == dict.fromkeys((LEADERS, FOLLOWERS))
    assert cluster.brokers == dict.fromkeys((1, 2, 3), dict.fromkeys(RATES))
    figures = fault.evidence().figures
    assert figures["quotas_asked"] == figures["quotas_in_force"] == 6.0


def test_a_quota_that_a_broker_does_not_take_is_no_evidence() -> None:
    cluster = Cluster(ignores=3)
    fault = cluster.fault(throttle_bytes_per_s=500)
    cluster.show([1, 2, 3], 0, 1)
    lacking = lacks(KIND.name, acted(fault).figures, broker=3, partitions=[0, 1])
    assert lacking == "quotas_in_force was 4, expected exactly 6"


@pytest.mark.parametrize(
    ("in_progress", "keeps", "lacking"),
    [
        ((0, 1), None, None),
        ((0,), None, "in_progress was 1, expected exactly 2"),
        ((0, 1), 1, "cancelled was 1, expected exactly 2"),
    ],
)
def test_a_reassignment_is_cancelled_if_it_was_in_progress(
    in_progress: tuple[int, ...], keeps: int | None, lacking: str | None
) -> None:
    cluster = Cluster()
    fault = cluster.fault(cancel=True)
    fault.prepare()
    cluster.show([1, 2], 0, 1)
    cluster.in_progress, cluster.keeps = {each: [3] for each in in_progress}, keeps
    figures = acted(fault).figures
    assert cluster.asked[-2:] == [(0, []), (1, [])]
    keys = {"broker": 3, "partitions": [0, 1]}
    assert lacks(KIND.name, figures, cancel=True, **keys) == lacking
    assert lacks(KIND.name, figures, **keys) == "joined was 0, expected exactly 2"


def test_a_broker_that_does_not_join_is_reported() -> None:
    cluster = Cluster()
    fault = cluster.fault()
    cluster.show([1, 2], 0, 1)
    fault.inject()
    cluster.seen = {0: ([1, 2, 3], [1, 2, 3]), 1: ([1, 2, 3], [1, 2])}
    fault.lift()
    assert fault.evidence().figures == {"assigned": 2.0, "joined": 1.0}


def test_a_broker_that_is_not_assigned_is_no_evidence() -> None:
    cluster = Cluster()
    fault = cluster.fault()
    cluster.show([1, 2, 3], 0)
    line = acted(fault)
    assert line.acted_ms == 0
    assert line.figures == {"assigned": 1.0, "joined": 1.0}
