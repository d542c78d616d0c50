"""Topics are created and deleted, without a broker."""

from __future__ import annotations

from threading import Event

from insync.errors import InsyncError
from insync.faults.base import FaultContext
from insync.faults.kinds.topic_churn import TopicChurnFault
from waiting import wait_for

CONTEXT = FaultContext(
    arm="a", repeat=0, kind="topic-churn", broker=2, planned_ms=100, topic="seed-0"
)


class Topics:
    """The topics that there are; requests fail while `fails` is set."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.seen: list[str] = []
        self.fails = Event()

    def create(self, topic: str) -> None:
        self.seen.append(topic)
        self.there.add(topic)

    def delete(self, topic: str) -> None:
        if self.fails.is_set():
            raise InsyncError("no answer")
        self.there.remove(topic)


def test_topics_are_created_and_deleted_until_the_lift() -> None:
    topics = Topics()
    fault = TopicChurnFault(topics.create, topics.delete, CONTEXT)
    fault.prepare()
    assert topics.seen == []
    fault.inject()
    wait_for(lambda: len(topics.seen), lambda seen: seen >= 2, within_s=10)
    fault.lift()
    fault.lift()
    assert topics.there == set()
    assert topics.seen[0] == "seed-0-churn-2-1"
    line = fault.evidence()
    assert line.figures is not None and line.acted_ms is not None
    assert line.figures["created"] == line.figures["deleted"] == len(topics.seen)
    assert line.acted_ms > 0


def test_what_could_not_be_deleted_is_deleted_at_the_end() -> None:
    topics = Topics()
    topics.fails.set()
    fault = TopicChurnFault(topics.create, topics.delete, CONTEXT)
    fault.inject()
    wait_for(lambda: len(topics.seen), lambda seen: seen >= 2, within_s=10)
    topics.fails.clear()
    fault.lift()
    assert topics.there == set()
    line = fault.evidence()
    assert line.figures is not None
    assert line.figures["failed"] >= 1


def test_without_a_deletion_there_is_no_evidence() -> None:
    topics = Topics()
    topics.fails.set()
    fault = TopicChurnFault(topics.create, topics.delete, CONTEXT)
    fault.inject()
    wait_for(lambda: len(topics.seen), lambda seen: seen >= 1, within_s=10)
    fault.lift()
    assert fault.evidence().acted_ms == 0
