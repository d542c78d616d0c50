"""Replicas are added and removed, and configs of a broker updated, without a broker."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fault_runs import planned
from insync.faults.base import Fault
from insync.faults.cluster import Assignment
from insync.faults.kinds.add_replica import FOLLOWERS, LEADERS, RATES
from insync.scenario.load import parse, source
from unit.faults.evidence import acted, lacks, refusal

pytestmark = pytest.mark.usefixtures("soon")
REPLICAS = {0: [1, 2, 3], 1: [2, 3, 1]}
FAULT = '\n[[faults]]\nkind = "remove-replica"\nbroker = 3\npartitions = {0}\nat_ms = 1_500\n'
SETTINGS = {"a": "1", "b": "true"}
Configs = dict[str, str | None]


class Cluster:
    """Assigns what it is asked for, and sets configs.

    The replicas of a `stuck` partition do not change, and the ISR of a `late` one; `ignored` is a
    broker, or a config.
    """

    def __init__(self, ignored: object = None) -> None:
        self.seen: Assignment = {number: (each, each) for number, each in REPLICAS.items()}
        self.asked: list[tuple[int, list[int]]] = []
        self.in_progress: dict[int, list[int]] = {}
        self.topic: Configs = {}
        self.brokers: dict[int, Configs] = {1: {}, 2: {}, 3: {}}
        self.stuck: int | None = None
        self.late: int | None = None
        self._ignored = ignored

    def fault(self, kind: str, **keys: Any) -> Fault[Any]:
        return planned(self, kind, broker=3, partitions=[0, 1], leaders=[1, 2], **keys)

    def assign(self, _: str, number: int, replicas: Sequence[int] | None) -> None:
        self.asked.append((number, list(replicas or [])))
        if number == self.stuck:
            return
        if replicas is None:
            self.in_progress.pop(number, None)
            replicas = [1, 2]
        isr = self.seen[number][1] if number == self.late else replicas
        self.seen = {**self.seen, number: (replicas, isr)}

    def adding(self, *_: object) -> dict[int, list[int]]:
        return self.in_progress

    def assignment_seen_by(self, *_: object) -> Assignment:
        return self.seen

    def update_topic_configs(self, _: str, settings: Configs) -> None:
        self.topic.update(settings)

    def update_configs(self, broker: int, settings: Configs) -> None:
        for name, value in settings.items():
            if self._ignored not in (broker, name):
                self.brokers[broker][name] = value

    def configs_in_force(self, broker: int, settings: Mapping[str, str]) -> int:
        return sum(self.brokers[broker].get(name) == value for name, value in settings.items())


WITHOUT = [(0, [1, 2]), (1, [2, 1])]


@pytest.mark.parametrize(
    ("kind", "before", "begins", "ends", "figures"),
    [
        ("add-replica", WITHOUT, [(0, [1, 2, 3]), (1, [2, 1, 3])], [], {"assigned": 2}),
        ("remove-replica", [], WITHOUT, [*REPLICAS.items()], {"removed": 2, "assigned": 2}),
    ],
)
def test_a_broker_is_taken_out_before_it_is_added_and_removed_until_the_end(
    kind: str, before: list[Any], begins: list[Any], ends: list[Any], figures: dict[str, float]
) -> None:
    cluster = Cluster()
    fault = cluster.fault(kind)
    for step, asked in (fault.prepare, before), (fault.inject, begins), (fault.lift, ends):
        cluster.asked.clear()
        step()
        assert cluster.asked == asked
    fault.lift()
    assert cluster.asked == ends
    line = fault.evidence()
    assert line.figures == {**figures, "joined": 2}
    assert line.acted_ms > 0


@pytest.mark.parametrize(
    ("kind", "since", "fails", "figures", "acts"),
    [
        ("add-replica", "inject", "stuck", {"assigned": 1, "joined": 1}, False),
        ("add-replica", "inject", "late", {"assigned": 2, "joined": 1}, True),
        ("remove-replica", "inject", "stuck", {"removed": 1, "assigned": 2, "joined": 2}, False),
        ("remove-replica", "lift", "stuck", {"removed": 2, "assigned": 1, "joined": 1}, True),
        ("remove-replica", "lift", "late", {"removed": 2, "assigned": 2, "joined": 1}, True),
    ],
    ids=["not assigned", "does not join", "stays", "not assigned again", "does not join again"],
)
def test_a_replica_that_does_not_become_what_it_is_assigned_to_be_is_reported(
    kind: str, since: str, fails: str, figures: dict[str, float], acts: bool
) -> None:
    cluster = Cluster()
    fault = cluster.fault(kind)
    for step in (fault.prepare, fault.inject, fault.lift):
        if step.__name__ == since:
            setattr(cluster, fails, 1)
        step()
    line = fault.evidence()
    assert (line.figures, line.acted_ms > 0) == (figures, acts)


def test_quotas_are_set_before_the_assignment_and_deleted_at_the_end() -> None:
    cluster = Cluster()
    fault = cluster.fault("add-replica", throttle_bytes_per_s=500)
    fault.prepare()
    assert cluster.brokers == {1: {}, 2: {}, 3: {}}
    fault.inject()
    assert cluster.topic == {LEADERS: "0:1,1:2", FOLLOWERS: "0:3,1:3"}
    assert cluster.brokers == dict.fromkeys((1, 2, 3), dict.fromkeys(RATES, "500"))
    fault.lift()
    assert cluster.topic == dict.fromkeys((LEADERS, FOLLOWERS))
    assert cluster.brokers == dict.fromkeys((1, 2, 3), dict.fromkeys(RATES))
    figures = fault.evidence().figures
    assert figures["quotas_asked"] == figures["quotas_in_force"] == 6


def test_a_quota_that_a_broker_does_not_take_is_no_evidence() -> None:
    line = acted(Cluster(ignored=3).fault("add-replica", throttle_bytes_per_s=500))
    lacking = lacks("add-replica", line.figures, broker=3, partitions=[0, 1])
    assert lacking == "quotas_in_force was 4, expected exactly 6"


@pytest.mark.parametrize(
    ("in_progress", "stuck", "lacking"),
    [
        ((0, 1), None, None),
        ((0,), None, "in_progress was 1, expected exactly 2"),
        ((0, 1), 1, "cancelled was 1, expected exactly 2"),
    ],
)
def test_a_reassignment_is_cancelled_if_it_was_in_progress(
    in_progress: tuple[int, ...], stuck: int | None, lacking: str | None
) -> None:
    cluster = Cluster()
    fault = cluster.fault("add-replica", cancel=True)
    fault.inject()
    cluster.in_progress, cluster.stuck = {each: [3] for each in in_progress}, stuck
    fault.lift()
    assert cluster.asked[-2:] == [(0, []), (1, [])]
    figures, keys = fault.evidence().figures, {"broker": 3, "partitions": [0, 1]}
    assert lacks("add-replica", figures, cancel=True, **keys) == lacking
    assert lacks("add-replica", figures, **keys) == "joined was 0, expected exactly 2"


def test_a_partition_is_reassigned_once_and_not_at_its_leader() -> None:
    once = FAULT.format("[0]") + "for_ms = 1_000\n"
    text = source("read-stall") + once
    assert parse(text, "x").faults[-1].removed == (0,)
    assert "no other election or reassignment is about" in refusal(text + once)
    led = text.replace("broker = 3\npartitions = [0]", "broker = 1\npartitions = [0]")
    assert "that broker 1 does not lead" in refusal(led)
    elected = text + FAULT.format("[0]").replace("remove-replica", "elect")
    assert "no other reassignment is about" in refusal(elected)


def test_configs_are_set_and_deleted_at_the_end() -> None:
    cluster = Cluster()
    fault = planned(cluster, "config-update", settings=SETTINGS)
    fault.prepare()
    assert cluster.brokers[1] == {}
    fault.inject()
    assert cluster.brokers[1] == SETTINGS
    fault.lift()
    assert cluster.brokers[1] == dict.fromkeys(SETTINGS)
    figures = fault.evidence().figures
    assert figures.pop("in_force_ms") >= 0
    assert figures == {"updated": 2, "in_force": 2}


def test_a_config_that_the_broker_ignores_is_no_evidence() -> None:
    line = acted(planned(Cluster(ignored="b"), "config-update", settings=SETTINGS))
    assert line.figures == {"updated": 2, "in_force": 1}


@pytest.mark.parametrize("settings", ["{}", '{ "a" = 1 }', '"a"'])
def test_settings_are_a_table_of_texts(settings: str) -> None:
    text = re.sub("settings = {.*}", f"settings = {settings}", source("switched-on"), count=1)
    assert "faults[0].settings" in refusal(text)
