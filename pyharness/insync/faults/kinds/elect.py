"""`elect`: leadership of partitions moves to a chosen broker, whatever the old leader does.

Before the workload starts the chosen broker becomes the first of the replicas, which moves
nothing; at the fault's time a preferred election moves the leadership. Both requests go to
single brokers, so that neither waits for the one that stalls. Where several elections move a
partition, each but one changes the order of the replicas at its time.

With `type = "unclean"` the partitions must have lost all replicas of their ISR: the chosen broker
leads without what it lacks, and the others lose it. The checker counts that.

Evidence: of how many of the partitions the chosen broker then says that it leads them. Of an
unclean election: of how many it said before that they had no leader, and it was not in the ISR.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from insync.events.run_info import PlannedFault
from insync.faults.base import Fault, await_true
from insync.faults.kind import (
    REASSIGNS,
    FaultKind,
    KindWords,
    RecordedFigures,
    Tags,
    each_partition,
)
from insync.faults.spec import OtherTopic, Planned, Surroundings, check_moved
from insync.fields import Partitions
from insync.nodes import ring

ANSWERS_WITHIN_S = 5.0


class Elect(Planned):
    """The broker is elected leader of partitions that another one leads."""

    kind: Literal["elect"]
    partitions: Partitions
    topic: OtherTopic | None = None
    type: Literal["preferred", "unclean"] = "preferred"

    @property
    def mode(self) -> str:
        """What the evidence says of it: the tables tell unclean elections from others by that."""
        return "" if self.type == "preferred" else self.type

    @property
    def loses_records(self) -> bool:
        return self.type == "unclean"

    @property
    def elected(self) -> Sequence[int]:
        return self.partitions

    def check_within(self, around: Surroundings) -> None:
        check_moved(self, self.partitions, around)


class ElectFault(Fault[Elect]):
    acted = True

    def prepare(self) -> None:
        self._put_first(self.spec.partitions)

    def inject(self) -> None:
        self.window.begin()
        partitions = self.spec.partitions
        # The old leader is asked last: it may be the one that does not answer.
        last = {self.context.leaders[partition] for partition in partitions}
        if others := self._not_first():
            self._put_first(others, last)
            await_true(lambda: not self._not_first(), ANSWERS_WITHIN_S)
        unclean = self.spec.type == "unclean"
        if unclean:
            await_true(lambda: self._count_gone() == len(partitions), ANSWERS_WITHIN_S)
            self.figures["without_isr"] = self._count_gone()
        self.cluster.elect(self.context.topic, partitions, last, unclean=unclean)
        await_true(lambda: self._count() == len(partitions), ANSWERS_WITHIN_S)
        self.figures["moved"] = self._count()
        self.window.end()

    def _put_first(self, partitions: Sequence[int], last: Collection[int] = ()) -> None:
        for partition in partitions:
            self.cluster.assign(self.context.topic, partition, ring(self.spec.broker), last)

    def _not_first(self) -> list[int]:
        """Return the partitions of whose replicas the broker, as it knows, is not the first."""
        seen = self.cluster.assignment_seen_by(self.spec.broker, self.context.topic)
        first = {partition: replicas[0] for partition, (replicas, _) in seen.items()}
        return [each for each in self.spec.partitions if first.get(each) != self.spec.broker]

    def _count(self) -> int:
        leaders = self.cluster.leaders_seen_by(self.spec.broker, self.context.topic)
        return sum(leaders.get(each) == self.spec.broker for each in self.spec.partitions)

    def _count_gone(self) -> int:
        """Return how many partitions have no leader, and an ISR without the broker."""
        own, topic = self.spec.broker, self.context.topic
        leaders = self.cluster.leaders_seen_by(own, topic)
        seen = self.cluster.assignment_seen_by(own, topic)
        return sum(
            leaders.get(each, -1) < 0 and each in seen and own not in seen[each][1]
            for each in self.spec.partitions
        )


def _missing(plan: PlannedFault, seen: RecordedFigures) -> str | None:
    names = ("without_isr", "moved") if plan.type == "unclean" else ("moved",)
    return each_partition(*names)(plan, seen)


KIND = FaultKind(
    spec=Elect,
    words=KindWords(
        does="another broker becomes the leader of chosen partitions",
        mechanism="replicas in another order beforehand, then a preferred or an unclean election",
        evidence="of how many partitions that broker then says that it leads them; of an unclean"
        " one, how many had no leader before and the broker not in their ISR",
        notes="Has no `for_ms`. `broker` becomes the leader of `partitions` that another one"
        " leads. Before the workload it becomes the first replica, which moves nothing; at its"
        ' time a preferred election is asked of brokers that do not stall. `type = "unclean"` is'
        " for partitions whose ISR is gone: `lost_at_unclean` counts what that costs, and an arm"
        " of which the scenario does not bound that fails.",
    ),
    inject=ElectFault,
    missing=_missing,
    tags=Tags(moves_leaders=True, harmless=True, oldest=REASSIGNS),
)
