"""`remove-replica`: a reassignment takes a broker out of the replicas of partitions for a time.

At the end another one adds it again: it has lost its log and has everything to fetch. With three
brokers and three replicas this is how a replica moves. The lift waits until it is in the ISR.

Evidence: of how many of the partitions the broker was no replica any more, of how many it is one
again, and in how many ISRs it is at the end.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Literal, Self

from pydantic import model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window, await_true
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, figure
from insync.faults.kinds.add_replica import Assignment
from insync.faults.spec import Lasting, Surroundings, check_moved
from insync.fields import Partitions, check_unique

ASSIGNED_WITHIN_S: Final = 5.0
JOINED_WITHIN_S: Final = 15.0


class RemoveReplica(Lasting):
    """The broker is no replica of partitions until the end, and is then added again."""

    kind: Literal["remove-replica"]
    partitions: Partitions

    @property
    def removed(self) -> Sequence[int]:
        """The partitions of whose replicas it removes its broker for a time."""
        return self.partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_unique("partitions", self.partitions)
        return self

    def check_within(self, around: Surroundings) -> None:
        """Check that another broker leads each partition, and that it is changed only once."""
        check_moved(self.partitions, self.broker, around)


class RemoveReplicaFault:
    """A `Fault`: one broker is no replica of some partitions for a time."""

    def __init__(
        self,
        assign: Callable[[int, Sequence[int]], None],
        assignment: Callable[[], Assignment],
        replicas: Mapping[int, Sequence[int]],
        context: FaultContext,
    ) -> None:
        """Plan it.

        Args:
            assign: gives a partition other replicas.
            assignment: replicas and ISRs, as a broker that leads a partition sees them.
            replicas: by partition, its replicas when the broker is among them.
            context: where the fault belongs; its broker is removed.

        """
        self._assign = assign
        self._assignment = assignment
        self._replicas = replicas
        self._context = context
        self._window = Window()
        self._figures = {"removed": 0.0, "assigned": 0.0, "joined": 0.0}

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Remove the broker and wait until it is no replica; raises InsyncError if refused."""
        self._window.begin()
        for number, replicas in self._replicas.items():
            self._assign(number, [each for each in replicas if each != self._context.broker])
        await_true(lambda: self._count(0) == 0, ASSIGNED_WITHIN_S)
        self._figures["removed"] = float(len(self._replicas) - self._count(0))

    def lift(self) -> None:
        """Add the broker again and wait until it is in the ISRs; raises InsyncError if refused."""
        if not self._window.is_open:
            return
        self._window.end()
        for number, replicas in self._replicas.items():
            self._assign(number, replicas)
        await_true(lambda: self._count(1) == len(self._replicas), JOINED_WITHIN_S)
        self._figures["assigned"] = float(self._count(0))
        self._figures["joined"] = float(self._count(1))

    def evidence(self) -> FaultLine:
        """Return of how many partitions it was removed, and how many it joined again."""
        whole = self._figures["removed"] == len(self._replicas)
        acted_ms = self._window.length_ms if whole else 0.0
        return self._window.line(self._context, acted_ms, self._figures)

    def _count(self, place: int) -> int:
        """Return of how many partitions the broker is in the replicas (0) or in the ISR (1)."""
        seen = self._assignment()
        return sum(
            number not in seen or self._context.broker in seen[number][place]
            for number in self._replicas
        )


def _inject(spec: RemoveReplica, context: FaultContext, cluster: FaultCluster) -> Fault:
    from insync.faults.support import election  # here, so that scenarios load no broker code

    first = spec.partitions[0]
    replicas = {
        number: cluster.replicas_led_by(cluster.leaders[number]) for number in spec.partitions
    }
    targets = [f"{context.topic}-{number}" for number in spec.partitions]
    return RemoveReplicaFault(
        lambda number, wanted: election.reassign(
            cluster.election_ports(()), context.topic, number, wanted
        ),
        partial(cluster.assignment_seen_by, cluster.leaders[first], context.topic),
        replicas,
        replace(context, target=targets),
    )


def _missing(plan: PlannedFault, seen: Recorded) -> str | None:
    expected = len(plan.partitions)
    for name in ("removed", "assigned", "joined"):
        value = seen.figures.get(name, 0.0)
        if value != expected:
            return figure(name, value, f"exactly {expected}")
    return None


KIND = FaultKind(
    spec=RemoveReplica,
    words=Words(
        does="the broker is no replica of partitions for a time, and then has to fetch all of"
        " their log again",
        mechanism="a reassignment without the broker, and another one with it at the end",
        evidence="of how many partitions it was removed, is a replica again, and in how many ISRs"
        " it is at the end",
        notes="What a user does who moves a replica away and back. The end waits for the ISR, at"
        f" most {JOINED_WITHIN_S:g} s.",
    ),
    probes=both(always),
    inject=_inject,
    missing=_missing,
    tags=Tags(harmless=True),
)
