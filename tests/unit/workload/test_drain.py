"""What a group has stored is recorded when it has everything, or when the time is over."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from insync.workload import workload as module
from insync.workload.plan import GroupPlan
from insync.workload.workload import drain
from unit.workload.plans import BASE

GROUP = GroupPlan(number=3, id="g", protocol="classic", members=2, commit_every=1)
PLAN = replace(BASE, partitions=(0, 1))


class FakeAdmin:
    """A coordinator that gives its answers one after the other, the last one again and again."""

    answers: list[tuple[int, ...] | None]

    def __init__(self, _: dict[str, Any]) -> None:
        """Take the settings."""

    def list_consumer_group_offsets(self, _: object, **__: object) -> dict[str, SimpleNamespace]:
        """Return the next answer; None is an error."""
        answers = FakeAdmin.answers
        offsets = answers.pop(0) if len(answers) > 1 else answers[0]
        return {"g": SimpleNamespace(result=lambda: self._result(offsets))}

    def _result(self, offsets: tuple[int, ...] | None) -> SimpleNamespace:
        if offsets is None:
            raise KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))
        places = [TopicPartition("t-r0", number, offset) for number, offset in enumerate(offsets)]
        return SimpleNamespace(topic_partitions=places)


def stored(
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    *answers: tuple[int, ...] | None,
    session_ms: int = 0,
) -> list[tuple[int, int, int | None]]:
    """Wait until the group has offsets 5 and 7; return the lines: group, partition, offset."""
    FakeAdmin.answers = list(answers)
    monkeypatch.setattr(module, "AdminClient", FakeAdmin)
    monkeypatch.setattr(module, "COMMITS_SECONDS", 0.001)
    plan = replace(PLAN, groups=(replace(GROUP, session_ms=session_ms),))
    found = list(drain(plan, {0: 5, 1: 7}, seconds))
    assert {(line.type, line.member) for line in found} <= {("stored", None)}
    return [(line.group, line.partition, line.offset) for line in found]


def test_it_waits_until_the_group_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    found = stored(monkeypatch, 30, (-1001, 7), None, (5, 6), (5, 7))
    assert found == [(3, 0, 5), (3, 1, 7)]


def test_a_group_that_stays_behind_is_recorded_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored(monkeypatch, 0.05, (-1001, 6)) == [(3, 1, 6)]


def test_a_group_has_the_time_of_a_session_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then a member that is gone without a word has its partitions."""
    found = stored(monkeypatch, 0, *[(-1001, 7)] * 5, (5, 7), session_ms=30_000)
    assert found == [(3, 0, 5), (3, 1, 7)]


def test_a_coordinator_that_does_not_answer_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored(monkeypatch, 0.05, None) == []
