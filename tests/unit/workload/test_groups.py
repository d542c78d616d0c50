"""A member of a consumer group: it commits what it has processed, before others get it."""

import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from event_lines import read_lines
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError
from insync.events.writer import EventWriter
from insync.run.requirements import require_groups
from insync.scenario.load import load
from insync.workload import groups
from insync.workload.groups import GroupMember, leave_times
from insync.workload.plan import GroupPlan
from unit.run.test_consumer import FakeMessage
from unit.workload.plans import BASE

GROUP = GroupPlan(number=0, id="g", protocol="classic", members=2, commit_every=3_600)
PLAN = replace(BASE, groups=(GROUP,))


class FakeClient:
    """A client that owns partition 0 from its subscription until it is closed."""

    messages: list[FakeMessage]
    refusal: KafkaError | None

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self._left = list(FakeClient.messages)
        self._callbacks: dict[str, Callable[..., None]] = {}

    def subscribe(self, topics: list[str], **callbacks: Callable[..., None]) -> None:
        self._callbacks = callbacks
        callbacks["on_assign"](self, [TopicPartition(topics[0], 0)])

    def poll(self, seconds: float) -> FakeMessage | None:
        if not self._left:
            threading.Event().wait(seconds / 10)
            return None
        return self._left.pop(0)

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        """Store the offsets, unless the coordinator refuses."""
        assert not asynchronous
        if FakeClient.refusal is not None:
            raise KafkaException(FakeClient.refusal)
        return offsets

    def close(self) -> None:
        self._callbacks["on_revoke"](self, [TopicPartition("t-r0", 0)])


def lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: KafkaError | None = None
) -> list[tuple[str, int | None]]:
    """Let a member process two records and a marker; return its lines: type, offset."""
    eof = KafkaError._PARTITION_EOF
    FakeClient.messages = [FakeMessage(0), FakeMessage(1), FakeMessage(3, eof)]
    FakeClient.refusal = refusal
    monkeypatch.setattr(groups, "Consumer", FakeClient)
    failures: list[BaseException] = []
    path = folder / "group-0.jsonl"
    with EventWriter(path) as writer:
        member = GroupMember(PLAN, GROUP, 0, writer, failures.append)
        member.start()
        while member._client._left:  # type: ignore[attr-defined]
            member.join(0.01)
        member.cut()
        member.join(10)
    assert failures == []
    return [(line["type"], line["offset"]) for line in read_lines(path)]


def test_a_member_commits_what_it_processed_before_it_gives_a_partition_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lines(tmp_path, monkeypatch) == [
        ("assigned", None), ("read", 0), ("read", 1), ("committed", 3), ("revoked", None),
    ]  # fmt: skip


def test_a_refused_commit_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = KafkaError(KafkaError.ILLEGAL_GENERATION)
    found = lines(tmp_path, monkeypatch, refusal)
    assert [kind for kind, _ in found] == ["assigned", "read", "read", "revoked"]


def test_members_leave_in_turn() -> None:
    group = GroupPlan(
        number=0, id="g", protocol="classic", members=2, commit_every=1, rejoin_every=5
    )
    assert [list(islice(leave_times(group, slot), 3)) for slot in (0, 1)] == [
        [5, 15, 25], [10, 20, 30],
    ]  # fmt: skip
    assert next(leave_times(GROUP, 0)) == float("inf")


@pytest.mark.parametrize(
    ("kafka", "client", "problem"),
    [
        ("3.9.2", "librdkafka", r"groups\[1\]\.protocol: 'consumer', expected 'classic': Kafka 3"),
        ("2.8.2", "java", r"groups\[0\]: Kafka 2\.8\.2 with the client java, expected Kafka 3\.0"),
    ],
)
def test_a_version_without_the_protocol_is_refused(kafka: str, client: str, problem: str) -> None:
    workload = load("groups").workload.model_copy(update={"client": client})
    with pytest.raises(InputError, match=problem):
        require_groups(workload, pinned(kafka))
    require_groups(workload, pinned("4.0.2"))
