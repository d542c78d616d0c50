"""`remove-replica`: a reassignment takes a broker out of the replicas of partitions for a time.

At the end another one adds it again: it has lost its log and has everything to fetch. With three
brokers and three replicas this is how a replica moves. The lift waits until it is in the ISR.

Evidence: of how many of the partitions the broker was not a replica any more, of how many it is one
again, and in how many ISRs it is at the end.
"""

from collections.abc import Sequence
from typing import Literal

from insync.faults.base import await_true
from insync.faults.kind import (
    REASSIGNS,
    FaultKind,
    KindWords,
    Tags,
    each_partition,
)
from insync.faults.kinds.add_replica import ASSIGNED_WITHIN_S, JOINED_WITHIN_S, ReplicaFault
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_moved
from insync.fields import Partitions


class RemoveReplica(Lasting):
    """The broker is not a replica of partitions until the end, and is then added again."""

    kind: Literal["remove-replica"]
    partitions: Partitions
    topic: OtherTopic | None = None

    @property
    def removed(self) -> Sequence[int]:
        return self.partitions

    def check_within(self, around: Surroundings) -> None:
        check_moved(self, self.partitions, around)


class RemoveReplicaFault(ReplicaFault[RemoveReplica]):
    def inject(self) -> None:
        self.window.begin()
        self.assign_without()
        await_true(lambda: self.count(0) == 0, ASSIGNED_WITHIN_S)
        self.figures["removed"] = len(self.replicas) - self.count(0)
        self.acted = self.figures["removed"] == len(self.replicas)

    def end(self) -> None:
        self.window.end()
        self.assign_with()
        await_true(lambda: self.count(1) == len(self.replicas), JOINED_WITHIN_S)
        self.figures |= {"assigned": self.count(0), "joined": self.count(1)}


KIND = FaultKind(
    spec=RemoveReplica,
    words=KindWords(
        does="the broker is not a replica of partitions for a time, and then has to fetch all of"
        " their log again",
        mechanism="a reassignment without the broker, and another one with it at the end",
        evidence="of how many partitions it was removed, is a replica again, and in how many ISRs"
        " it is at the end",
        notes="What a user does who moves a replica away and back. The end waits for the ISR, at"
        f" most {JOINED_WITHIN_S:g} s.",
    ),
    inject=RemoveReplicaFault,
    missing=each_partition("removed", "assigned", "joined"),
    tags=Tags(harmless=True, oldest=REASSIGNS),
)
