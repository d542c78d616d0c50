"""`elect`: leadership of partitions moves to a chosen broker, whatever the old leader does.

Before the workload starts the chosen broker becomes the first of the replicas, which moves
nothing; at the fault's time a preferred election moves the leadership. Both requests go to
single brokers, so that neither waits for the one that stalls. Where several elections move a
partition, each but one changes the order of the replicas at its time.

Evidence: of how many of the partitions the chosen broker then says that it leads them.
"""

from collections.abc import Collection, Sequence
from typing import Literal

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, await_true
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, figure
from insync.faults.spec import OtherTopic, Planned, Surroundings, check_moved
from insync.fields import Partitions
from insync.nodes import ring

ANSWERS_WITHIN_S = 5.0


class Elect(Planned):
    """The broker is elected leader of partitions that another one leads."""

    kind: Literal["elect"]
    partitions: Partitions
    topic: OtherTopic | None = None

    @property
    def elected(self) -> Sequence[int]:
        """The partitions of which it makes its broker the leader."""
        return self.partitions

    def check_within(self, around: Surroundings) -> None:
        """Check that each partition moves to another leader."""
        check_moved(self, self.partitions, around)


class ElectFault(Fault[Elect]):
    """One broker becomes the leader of some partitions; there is nothing to lift."""

    _moved = 0

    def prepare(self) -> None:
        """Put the broker first among the replicas; raises InsyncError if that is refused."""
        self._put_first(self.spec.partitions)

    def inject(self) -> None:
        """Ask for the election and wait until the broker leads; raises InsyncError if refused."""
        self.window.begin()
        partitions = self.spec.partitions
        # The old leader is asked last: it may be the one that does not answer.
        last = {self.context.leaders[partition] for partition in partitions}
        if others := self._not_first():
            self._put_first(others, last)
            await_true(lambda: not self._not_first(), ANSWERS_WITHIN_S)
        self.cluster.elect(self.context.topic, partitions, last)
        await_true(lambda: self._count() == len(partitions), ANSWERS_WITHIN_S)
        self._moved = self._count()
        self.window.end()

    def evidence(self) -> FaultLine:
        """Return how many partitions moved, and how long it took."""
        return self.line(self.window.length_ms, {"moved": self._moved})

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


def _missing(plan: PlannedFault, seen: Recorded) -> str | None:
    moved, expected = seen.figures.get("moved", 0.0), len(plan.partitions)
    return None if moved == expected else figure("moved", moved, f"exactly {expected}")


KIND = FaultKind(
    spec=Elect,
    words=Words(
        does="another broker becomes the leader of chosen partitions",
        mechanism="replicas in another order beforehand, then a preferred election",
        evidence="of how many partitions that broker then says that it leads them",
        notes="Has no `for_ms`. `broker` becomes the leader of `partitions` that another one"
        " leads. Before the workload it becomes the first replica, which moves nothing; at its"
        " time a preferred election is asked of brokers that do not stall.",
    ),
    probes=both(always),
    inject=ElectFault,
    missing=_missing,
    tags=Tags(moves_leaders=True, harmless=True),
)
