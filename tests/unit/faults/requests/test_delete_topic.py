from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from fault_runs import planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds.requests import delete_topic
from insync.faults.kinds.requests.delete_topic import KIND
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone, lacks, refusal


class Topics:
    """The topics that there are; a broker that is `gone` cannot be a replica."""

    def __init__(self, *, deaf: bool = False, gone: bool = False) -> None:
        self.there = {"t-r0-beside": 1, "__consumer_offsets": 1}
        self.made: list[tuple[str, Sequence[int], Mapping[str, str]]] = []
        self._deaf, self._gone = deaf, gone

    def delete_topic(self, topic: str) -> None:
        if not self._deaf:
            del self.there[topic]

    def create_topic(self, topic: str, leaders: Sequence[int], configs: Mapping[str, str]) -> None:
        if self._gone:
            raise InsyncError("no such replica")
        self.there[topic] = leaders[0]
        self.made.append((topic, leaders, configs))

    def leaders_seen_by(self, _: int, topic: str) -> dict[int, int]:
        return {0: self.there[topic]} if topic in self.there else {}

    def fault(self, **keys: Any) -> Fault[Any]:
        return planned(self, KIND.name, leaders=[1, 2], configs={"segment.ms": "9"}, **keys)


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_topic, "GONE_WITHIN_S", 0.05)
    monkeypatch.setattr(delete_topic, "BACK_WITHIN_S", 0.05)


def done(fault: Fault[Any]) -> tuple[Mapping[str, float], float, str | None]:
    """Return the figures of a fault, the time that it acted, and what its evidence lacks."""
    line = acted(fault)
    return line.figures, line.acted_ms, lacks(KIND.name, line.figures)


def test_the_topic_is_there_again_as_it_was() -> None:
    topics = Topics()
    figures, acted_ms, lacks = done(topics.fault())
    assert figures == {"deleted": 1.0, "gone": 1.0, "created": 1.0}
    assert (acted_ms > 0, lacks) == (True, None)
    assert topics.made == [("t-r0-beside", [1, 2], {"segment.ms": "9"})]


def test_kafkas_own_topic_is_left_to_kafka() -> None:
    topics = Topics()
    figures, _, lacks = done(topics.fault(other="__consumer_offsets"))
    assert (figures["created"], lacks, topics.made) == (0.0, None, [])


def test_a_topic_that_the_broker_still_knows_is_no_evidence() -> None:
    figures, acted_ms, lacks = done(Topics(deaf=True).fault())
    assert (figures["gone"], acted_ms, lacks) == (0.0, 0.0, "gone was 0, expected at least 1")


def test_a_topic_that_cannot_be_created_again_is_a_figure() -> None:
    figures, _, lacks = done(Topics(gone=True).fault())
    assert (figures.get("created", 0.0), lacks) == (0.0, None)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({}, "'beside', expected a scenario with [beside]"),
        (
            {"topic": "__consumer_offsets"},
            "'__consumer_offsets', expected a scenario with workload.groups",
        ),
        ({"topic": "mine"}, "'mine', expected '__transaction_state', "),
    ],
)
def test_a_topic_that_there_is_not_is_refused(more: dict[str, str], problem: str) -> None:
    text = alone(KIND.name, **more)
    assert refusal(text).startswith(f"mine.toml: faults[0].topic: {problem}")
    beside = "[beside]\nleaders = [1]\n[[faults]]"
    assert parse(alone(KIND.name).replace("[[faults]]", beside), "mine.toml").faults


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 201])
def test_a_name_that_no_topic_can_have_is_refused(name: str) -> None:
    text = alone(KIND.name).replace(
        "[[faults]]", "[beside]\nname = NAME\nleaders = [1]\n[[faults]]"
    )
    assert refusal(text.replace("NAME", f'"{name}"')).startswith("mine.toml: beside.name: ")
    longest = "a.b_" + "x" * 196
    beside = parse(text.replace("NAME", f'"{longest}"'), "mine.toml").beside
    assert beside is not None
    assert beside.name == longest
