from threading import Event

import pytest

from fault_runs import planned
from insync.errors import InsyncError
from waiting import wait_for


class Topics:
    """The topics that there are; requests fail while `fails` is set."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.seen: list[str] = []
        self.fails = Event()

    def begin_topic(self, topic: str, *_: int) -> None:
        self.seen.append(topic)
        self.there.add(topic)

    def delete_topic(self, topic: str) -> None:
        if self.fails.is_set():
            raise InsyncError("no answer")
        self.there.remove(topic)


def test_topics_are_created_and_deleted_until_the_lift() -> None:
    topics = Topics()
    fault = planned(topics, "topic-churn", topic="seed-0", broker=2)
    fault.prepare()
    assert topics.seen == []
    fault.inject()
    wait_for(lambda: len(topics.seen), lambda seen: seen >= 2)
    fault.lift()
    fault.lift()
    assert topics.there == set()
    assert topics.seen[0] == "seed-0-churn-2-1"
    line = fault.evidence()
    assert line.figures["created"] == line.figures["deleted"] == len(topics.seen)
    assert line.acted_ms > 0


@pytest.mark.parametrize("answers", [True, False])
def test_what_could_not_be_deleted_is_deleted_at_the_end(answers: bool) -> None:
    """Without any deletion there is no evidence."""
    topics = Topics()
    topics.fails.set()
    fault = planned(topics, "topic-churn", topic="seed-0", broker=2)
    fault.inject()
    wait_for(lambda: len(topics.seen), lambda seen: seen >= 2)
    if answers:
        topics.fails.clear()
    fault.lift()
    assert (topics.there == set()) is answers
    line = fault.evidence()
    assert line.figures["failed"] >= 1
    assert answers or line.acted_ms == 0
