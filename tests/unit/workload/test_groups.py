"""Consumer groups: what members commit and how long they are waited for; and acks on time."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice, repeat
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
from unit.run.test_consumer import FakeConsumer, message
from unit.workload.plans import BASE
from waiting import wait_for

GROUP = GroupPlan(number=0, id="g", protocol="classic", members=2, commit_every=3_600)
PLAN = replace(BASE, groups=(GROUP,))
TWO_PARTITIONS = replace(BASE, partitions=(0, 1), rate=100)


class GroupClient(FakeConsumer):
    """A client that owns partition 0 from its subscription until it is closed."""

    def __init__(self, *messages: FakeMessage, refusal: KafkaError | None) -> None:
        super().__init__({})
        self.left = list(messages)
        self._refusal = refusal
        self._callbacks: dict[str, Callable[..., None]] = {}

    def subscribe(self, topics: list[str], **callbacks: Callable[..., None]) -> None:
        self._callbacks = callbacks
        callbacks["on_assign"](self, [TopicPartition(topics[0], 0)])

    def commit(self, offsets: list[TopicPartition], asynchronous: bool) -> list[TopicPartition]:
        assert not asynchronous
        if self._refusal is not None:
            raise KafkaException(self._refusal)
        return offsets

    def close(self) -> None:
        self._callbacks["on_revoke"](self, [TopicPartition("t-r0", 0)])


@pytest.mark.parametrize(
    ("refusal", "committed"),
    [(None, [("committed", 3)]), (KafkaError(KafkaError.ILLEGAL_GENERATION), [])],
    ids=["committed", "refused"],
)
def test_a_member_commits_what_it_processed_before_it_gives_a_partition_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: KafkaError | None,
    committed: list[tuple[str, int]],
) -> None:  # fmt: skip
    """It processes two records and a marker."""
    eof = FakeMessage(3, KafkaError._PARTITION_EOF)
    client = GroupClient(message(0), message(1), eof, refusal=refusal)
    monkeypatch.setattr(groups, "Consumer", lambda _: client)
    failures: list[BaseException] = []
    path = tmp_path / "group-0.jsonl"
    with EventWriter(path) as writer:
        member = GroupMember(PLAN, GROUP, 0, writer, failures.append)
        member.start()
        while client.left:
            member.join(0.01)
        member.cut()
        member.join(10)
    assert failures == []
    assert [(line["type"], line["offset"]) for line in read_lines(path)] == [
        ("assigned", None), ("read", 0), ("read", 1), *committed, ("revoked", None),
    ]  # fmt: skip


def test_members_leave_in_turn() -> None:
    group = replace(GROUP, rejoin_every=5)
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


Offsets = tuple[int, ...]


def offsets_of(answer: Offsets | None) -> SimpleNamespace:
    if answer is None:
        raise KafkaException(KafkaError(KafkaError.NOT_COORDINATOR))
    places = [TopicPartition("t-r0", number, offset) for number, offset in enumerate(answer)]
    return SimpleNamespace(topic_partitions=places)


@pytest.mark.parametrize(
    ("seconds", "session_ms", "answers", "found"),
    [
        (30, 0, [(-1001, 7), None, (5, 6), (5, 7)], [(3, 0, 5), (3, 1, 7)]),
        (0.05, 0, [(-1001, 6)], [(3, 1, 6)]),
        # Until then a member that is gone without a word has its partitions.
        (0, 30_000, [*[(-1001, 7)] * 5, (5, 7)], [(3, 0, 5), (3, 1, 7)]),
        (0.05, 0, [None], []),
    ],
    ids=["until it has all", "as it is if it stays behind", "for a session more", "no answer"],
)
def test_what_a_group_has_is_waited_for_until_it_is_everything(
    monkeypatch: pytest.MonkeyPatch, seconds: float, session_ms: int,
    answers: list[Offsets | None], found: list[tuple[int, int, int | None]],
) -> None:  # fmt: skip
    """The coordinator gives its answers one after the other, the last one again and again."""
    turns = chain(answers, repeat(answers[-1]))
    result = SimpleNamespace(result=lambda: offsets_of(next(turns)))
    admin = SimpleNamespace(list_consumer_group_offsets=lambda *_, **__: {"g": result})
    monkeypatch.setattr(workload, "AdminClient", lambda _: admin)
    monkeypatch.setattr(workload, "COMMITS_SECONDS", 0.001)
    plan = replace(TWO_PARTITIONS, groups=(replace(GROUP, number=3, session_ms=session_ms),))
    lines = list(drain(plan, {0: 5, 1: 7}, seconds))
    assert {(line.type, line.member) for line in lines} <= {("stored", None)}
    assert [(line.group, line.partition, line.offset) for line in lines] == found


LATE_MS = 200


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> list[FakeClient]:
    """Replace the clients by ones that do not answer yet; return the producers'."""
    made: list[FakeClient] = []

    def client(settings: dict[str, Any]) -> FakeClient:
        made.append(FakeClient(settings))
        made[-1].answering = False
        return made[-1]

    monkeypatch.setattr(producer, "Producer", client)
    monkeypatch.setattr(workload.TopicConsumer, "run", lambda own: own._client.close())
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
