"""A broker leads many more partitions, without a broker."""

from typing import Any

import pytest

from fault_runs import planned
from insync.faults.base import Fault
from insync.faults.kinds.requests.more_partitions import KIND
from unit.faults.evidence import acted, lacks

TOPIC = "seed-0-more-2-100"


class Topics:
    """One topic of three partitions, while there is one."""

    def __init__(self, leaders: tuple[int, ...] = (2, 2, 2), isr: tuple[int, ...] = (2, 3)) -> None:
        self.there: list[str] = []
        self._leaders = leaders
        self._isr = isr

    def fault(self, for_ms: int = 100) -> Fault[Any]:
        return planned(self, KIND.name, topic="seed-0", broker=2, count=3, for_ms=for_ms)

    def make_idle_topic(self, topic: str, broker: int, partitions: int) -> None:
        assert (broker, partitions) == (2, 3)
        self.there.append(topic)

    def delete_topic(self, topic: str) -> None:
        self.there.remove(topic)

    def leaders_seen_by(self, *_: object) -> dict[int, int]:
        return dict(enumerate(self._leaders))

    def assignment_seen_by(self, *_: object) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
        return {0: ((2, 3), (3, 2)), 1: ((2, 3), (2, 3)), 2: ((2, 3), self._isr)}


def test_the_partitions_exist_before_it_begins_and_are_deleted_at_the_end() -> None:
    topics = Topics()
    fault = topics.fault()
    fault.prepare()
    assert topics.there == [TOPIC]
    fault.inject()
    fault.lift()
    fault.lift()
    assert topics.there == []
    line = fault.evidence()
    assert line.figures == {"asked": 3.0, "led": 3.0, "whole": 3.0}
    assert line.acted_ms > 0


def test_a_fault_that_was_prepared_and_never_injected_deletes_its_topic() -> None:
    topics = Topics()
    fault = topics.fault()
    fault.prepare()
    fault.lift()
    assert topics.there == []


def test_two_faults_of_a_broker_have_topics_of_their_own() -> None:
    topics = Topics()
    for planned_ms in (100, 200):
        topics.fault(planned_ms).prepare()
    assert len(set(topics.there)) == 2


@pytest.mark.parametrize(
    ("leaders", "reason"), [((2, 2, 2), None), ((2, 3, 2), "led was 2, expected exactly 3")]
)
def test_partitions_that_another_broker_leads_are_no_evidence(
    leaders: tuple[int, ...], reason: str | None
) -> None:
    topics = Topics(leaders, isr=(2,))
    fault = topics.fault()
    fault.prepare()
    line = acted(fault)
    assert line.figures["whole"] == 2.0
    assert lacks(KIND.name, line.figures) == reason
