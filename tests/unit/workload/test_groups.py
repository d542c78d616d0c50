"""Consumer groups: what members commit and how long they are waited for; and acks on time."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from event_lines import read_lines
from insync.brokers.kafka.versions import pinned
from insync.errors import InputError
from insync.events.writer import EventWriter
from insync.run.requirements import require_version
from insync.scenario.load import load, narrow
from insync.workload import groups, producer, workload
from insync.workload.groups import GroupMember, leave_times
from insync.workload.plan import GroupPlan
from insync.workload.workload import Workload, drain
from unit.fake_producer import FakeClient, FakeMessage
from unit.run.test_consumer import message
from unit.workload.plans import BASE
from waiting import wait_for

GROUP = GroupPlan(number=0, id="g", protocol="classic", members=2, commit_every=3_600)
PLAN = replace(BASE, groups=(GROUP,))


class GroupClient:
    """A client that owns partition 0 from its subscription until it is closed."""

    messages: list[FakeMessage]
    refusal: KafkaError | None

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self._left = list(GroupClient.messages)
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
        assert not asynchronous
        if GroupClient.refusal is not None:
            raise KafkaException(GroupClient.refusal)
        return offsets

    def close(self) -> None:
        self._callbacks["on_revoke"](self, [TopicPartition("t-r0", 0)])


def lines(
    folder: Path, monkeypatch: pytest.MonkeyPatch, refusal: KafkaError | None = None
) -> list[tuple[str, int | None]]:
    """Let a member process two records and a marker; return its lines: type, offset."""
    eof = KafkaError._PARTITION_EOF
    GroupClient.messages = [message(0), message(1), FakeMessage(3, eof)]
    GroupClient.refusal = refusal
    monkeypatch.setattr(groups, "Consumer", GroupClient)
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
    scenario = narrow(load("groups"), client=client)
    with pytest.raises(InputError, match=problem):
        require_version(scenario, pinned(kafka))
    require_version(scenario, pinned("4.0.2"))


STORING = GroupPlan(number=3, id="g", protocol="classic", members=2, commit_every=1)
STORED = replace(BASE, partitions=(0, 1))


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
    monkeypatch.setattr(workload, "AdminClient", FakeAdmin)
    monkeypatch.setattr(workload, "COMMITS_SECONDS", 0.001)
    plan = replace(STORED, groups=(replace(STORING, session_ms=session_ms),))
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


LATE_MS = 200
TWO_PARTITIONS = replace(BASE, partitions=(0, 1), rate=100)


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
    with Workload(TWO_PARTITIONS, tmp_path) as started:
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
