"""Topics are created, deleted and written to, without a broker."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from signal import SIGKILL
from threading import Event
from typing import Any
from unittest.mock import ANY, Mock, call

import pytest

from fault_runs import OneNode, fault_tables, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds.requests import create_topic
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone, lacks, refusal
from waiting import wait_for

pytestmark = pytest.mark.usefixtures("soon")
BESIDE = "[beside]\nname = NAME\nleaders = [1]\n[[faults]]"


class Topics(OneNode):
    """The topics that there are, and what was asked; no deletion succeeds while `fails` is set.

    The broker knows their partitions' leaders; the ISR of the last one lacks broker 3.
    """

    def __init__(self, *there: str, leaders: Sequence[int] = (1,), **more: Any) -> None:
        super().__init__(**more)
        self.there = {*there}
        self.made: list[tuple[Any, ...]] = []
        self.deleted: list[str] = []
        self.fails = False
        self._leaders = leaders

    def create_topic(self, *asked: Any) -> None:
        self.made.append(asked)
        self.there.add(asked[0])

    begin_topic = make_idle_topic = create_topic

    def delete_topic(self, topic: str) -> None:
        if self.fails:
            raise InsyncError("no answer")
        self.there.remove(topic)
        self.deleted.append(topic)

    def leaders_seen_by(self, _: int, topic: str) -> dict[int, int]:
        return dict(enumerate(self._leaders)) if topic in self.there else {}

    def assignment_seen_by(self, *_: object) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        return {0: ((2, 3), (3, 2)), 1: ((2, 3), (2, 3)), 2: ((2, 3), (2,))}


@pytest.mark.parametrize(
    ("makes", "acts", "missing"),
    [
        (4, True, None),
        (2, False, None),
        (0, False, "folders was 0, expected some of those asked for, and not all"),
        (9, True, "folders was 9, expected some of those asked for, and not all"),
    ],
)
def test_a_creation_begins_when_the_broker_has_some_of_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, makes: int, acts: bool, missing: str | None
) -> None:
    topics, made, dirs = Topics(), Event(), [tmp_path / "data", tmp_path / "data-2"]
    topics.at.data_dirs = dirs

    def begin_topic(topic: str, broker: int, partitions: int) -> None:
        topics.create_topic(topic, broker, partitions)
        for number in range(makes):
            (dirs[number % 2] / f"{topic}-{number}").mkdir(parents=True)
        made.set()

    topics.begin_topic = begin_topic  # type: ignore[method-assign]
    has_some = Mock(side_effect=lambda count, _: made.wait() and count())
    monkeypatch.setattr(create_topic, "await_true", has_some)
    line = acted(planned(topics, "create-topic", count=9, folders=3))
    assert topics.made == [("t-r0-new-1-0", 1, 9)]
    assert topics.deleted == ["t-r0-new-1-0"]
    assert (line.figures, line.acted_ms > 0) == ({"asked": 9, "folders": makes}, acts)
    assert lacks("create-topic", line.figures) == missing


def test_a_created_topic_that_cannot_be_deleted_is_left() -> None:
    topics = Topics()
    topics.fails = True
    acted(planned(topics, "create-topic"))
    assert topics.there == {"t-r0-new-1-0"}


def test_a_broker_may_be_killed_meanwhile_and_no_more_folders_are_waited_for_than_asked() -> None:
    kill = fault_tables([{"kind": "kill", "broker": 1, "at_ms": 3_000, "for_ms": 500}])
    assert len(parse(alone("create-topic", folders=3) + kill, "mine.toml").faults) == 2
    refused = refusal(alone("create-topic", folders=301))
    assert "faults[0].folders: 301, expected at most count, 300" in refused


def refuse(*_: object) -> None:
    raise InsyncError("no such replica")


@pytest.mark.parametrize(
    ("other", "cluster", "figures", "there"),
    [
        (None, {}, {"gone": 1, "created": 1}, True),
        ("__consumer_offsets", {}, {"gone": 1, "created": 0}, False),
        (None, {"delete_topic": lambda _: None}, {"gone": 0, "created": 1}, True),
        (None, {"create_topic": refuse}, {"gone": 1}, False),
    ],
    ids=["as it was", "Kafka creates its own", "the broker still knows it", "no topic again"],
)
def test_a_topic_is_deleted_and_at_the_end_created_again_as_it_was(
    other: str | None, cluster: dict[str, Any], figures: dict[str, float], there: bool
) -> None:
    topics = Topics("t-r0-beside", "__consumer_offsets", **cluster)
    fault = planned(
        topics, "delete-topic", leaders=[1, 2], configs={"segment.ms": "9"}, other=other
    )
    line = acted(fault)
    assert line.figures == {"deleted": 1, **figures}
    assert (line.acted_ms > 0) == bool(figures["gone"])
    lacking = None if figures["gone"] else "gone was 0, expected at least 1"
    assert lacks("delete-topic", line.figures) == lacking
    assert topics.made == [("t-r0-beside", [1, 2], {"segment.ms": "9"})] * there


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
def test_a_deletion_of_a_topic_that_there_is_not_is_refused(
    more: dict[str, str], problem: str
) -> None:
    refused = refusal(alone("delete-topic", **more))
    assert refused.startswith(f"mine.toml: faults[0].topic: {problem}")


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 201])
def test_a_name_that_no_topic_beside_can_have_is_refused(name: str) -> None:
    text = alone("delete-topic").replace("[[faults]]", BESIDE)
    assert refusal(text.replace("NAME", f'"{name}"')).startswith("mine.toml: beside.name: ")
    longest = "a.b_" + "x" * 196
    beside = parse(text.replace("NAME", f'"{longest}"'), "mine.toml").beside
    assert beside.name == longest


def more_partitions(topics: Topics, for_ms: int = 100) -> Fault[Any]:
    return planned(topics, "more-partitions", topic="seed-0", broker=2, count=3, for_ms=for_ms)


@pytest.mark.parametrize(
    ("leaders", "reason"), [((2, 2, 2), None), ((2, 3, 2), "led was 2, expected exactly 3")]
)
def test_more_partitions_exist_before_it_begins_and_are_deleted_at_the_end(
    leaders: tuple[int, ...], reason: str | None
) -> None:
    topics = Topics(leaders=leaders)
    fault = more_partitions(topics)
    fault.prepare()
    assert topics.made == [("seed-0-more-2-100", 2, 3)]
    fault.inject()
    fault.lift()
    fault.lift()
    assert topics.there == set()
    line = fault.evidence()
    assert line.figures == {"asked": 3, "led": leaders.count(2), "whole": 2}
    assert line.acted_ms > 0
    assert lacks("more-partitions", line.figures) == reason


def test_more_partitions_that_were_prepared_and_never_injected_are_deleted() -> None:
    topics = Topics()
    fault = more_partitions(topics)
    fault.prepare()
    fault.lift()
    assert topics.there == set()


@pytest.mark.parametrize(
    ("written", "exit_code", "acts", "missing"),
    [
        (["10 2", "5 0"], None, True, None),
        (["10 0"], None, False, "waited was 0, expected at least 1"),
        (["0 7"], None, True, "acked was 0, expected at least 1"),
        (["", "1"], None, False, "acked was 0, expected at least 1"),
        (["10 2"], 1, False, None),
    ],
    ids=["behind", "not behind", "nothing acked", "nothing written", "ended early"],
)
def test_a_flood_acts_if_the_brokers_were_behind(
    tmp_path: Path, written: list[str], exit_code: int | None, acts: bool, missing: str | None
) -> None:
    configured: list[str] = []
    producers = [Mock(**{"poll.return_value": exit_code}) for _ in written]
    begins = zip(producers, written, strict=True)

    def start(command: list[str]) -> Mock:
        assert topics.there == {*configured} <= set(command)
        producer, figures = next(begins)
        Path(command[-1]).write_text(figures)
        return producer

    def configure(topic: str, settings: Mapping[str, str]) -> None:
        configured.append(topic)

    topics = Topics(folder=tmp_path, start=start, update_topic_configs=configure)
    line = acted(planned(topics, "produce-flood", broker=2, producers=len(written)))
    ended = [call.poll(), call.send_signal(SIGKILL), call.wait(ANY)]
    assert [each.mock_calls for each in producers] == [ended] * len(written)
    assert not topics.there, "the topic is deleted"
    assert lacks("produce-flood", line.figures) == missing
    assert line.figures["alive"] == (len(written) if exit_code is None else 0)
    assert (line.acted_ms > 0) == acts


def churn(topics: Topics) -> Fault[Any]:
    """Let topics be created and deleted until there were two; return the fault."""
    fault = planned(topics, "topic-churn", topic="seed-0", broker=2)
    fault.prepare()
    assert topics.made == []
    fault.inject()
    wait_for(lambda: len(topics.made), lambda seen: seen >= 2)
    return fault


def test_topics_are_created_and_deleted_until_the_lift() -> None:
    topics = Topics()
    fault = churn(topics)
    fault.lift()
    fault.lift()
    assert topics.there == set()
    assert topics.made[0][0] == "seed-0-churn-2-1"
    line = fault.evidence()
    assert line.figures["created"] == line.figures["deleted"] == len(topics.made)
    assert line.acted_ms > 0


@pytest.mark.parametrize("answers", [True, False])
def test_what_could_not_be_deleted_is_deleted_at_the_end(answers: bool) -> None:
    """Without any deletion there is no evidence."""
    topics = Topics()
    topics.fails = True
    fault = churn(topics)
    topics.fails = not answers
    fault.lift()
    assert (topics.there == set()) is answers
    line = fault.evidence()
    assert line.figures["failed"] >= 1
    assert answers or line.acted_ms == 0
