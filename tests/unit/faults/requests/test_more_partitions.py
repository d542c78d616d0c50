"""A broker leads many more partitions, without a broker."""

from __future__ import annotations

from dataclasses import replace

import pytest

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import FaultContext
from insync.faults.kinds.more_partitions import KIND, Assignment, MorePartitionsFault
from unit.faults.seen_figures import Seen

CONTEXT = FaultContext(
    arm="a", repeat=0, kind="more-partitions", broker=2, planned_ms=100, topic="seed-0"
)
TOPIC = "seed-0-more-2-100"


class Topics:
    """One topic of three partitions, while there is one."""

    def __init__(self, leaders: tuple[int, ...] = (2, 2, 2), isr: tuple[int, ...] = (2, 3)) -> None:
        self.there: list[str] = []
        self._leaders = leaders
        self._isr = isr

    def fault(self, context: FaultContext = CONTEXT) -> MorePartitionsFault:
        return MorePartitionsFault(
            self.there.append, self.there.remove, self._assignment, self._led, 3, context
        )

    def _led(self, _: str) -> dict[int, int]:
        return dict(enumerate(self._leaders))

    def _assignment(self, _: str) -> Assignment:
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
    assert line.acted_ms is not None and line.acted_ms > 0


def test_a_fault_that_was_prepared_and_never_injected_deletes_its_topic() -> None:
    topics = Topics()
    fault = topics.fault()
    fault.prepare()
    fault.lift()
    assert topics.there == []
    with pytest.raises(InsyncError, match="was not injected"):
        fault.evidence()


def test_two_faults_of_a_broker_have_topics_of_their_own() -> None:
    topics = Topics()
    for planned_ms in (100, 200):
        topics.fault(replace(CONTEXT, planned_ms=planned_ms)).prepare()
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
    fault.inject()
    fault.lift()
    line = fault.evidence()
    assert line.figures is not None
    assert line.figures["whole"] == 2.0
    plan = PlannedFault(kind=KIND.name, broker=2)
    assert KIND.missing(plan, Seen(dict(line.figures))) == reason
