"""`elect`: leadership of partitions moves to a chosen broker, whatever the old leader does.

Before the workload starts the chosen broker becomes the first of the replicas, which moves
nothing; at the fault's time a preferred election moves the leadership. Both requests go to
single brokers, so that neither waits for the one that stalls.

Evidence: of how many of the partitions the chosen broker then says that it leads them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, Self

from pydantic import model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window, await_true
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, figure
from insync.faults.spec import Planned, Surroundings, check_moved
from insync.fields import Partitions, check_unique

ANSWERS_WITHIN_S = 5.0


class Elect(Planned):
    """The broker is elected leader of partitions that another one leads."""

    kind: Literal["elect"]
    partitions: Partitions

    @property
    def elected(self) -> Sequence[int]:
        """The partitions of which it makes its broker the leader."""
        return self.partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_unique("partitions", self.partitions)
        return self

    def check_within(self, around: Surroundings) -> None:
        """Check that each partition moves to another leader, and by one election only.

        One only: the replicas are put in order before a repeat.
        """
        check_moved(self.partitions, self.broker, around, already=" already", by="election")


@dataclass(frozen=True, kw_only=True, slots=True)
class ElectPlan:
    """Which partitions of a topic are to move, and their replicas with the new leader first."""

    topic: str
    replicas: Mapping[int, Sequence[int]]


class ElectFault:
    """A `Fault`: one broker becomes the leader of some partitions; there is nothing to lift."""

    def __init__(
        self,
        ports: Callable[[], Sequence[int]],
        leaders: Callable[[], Mapping[int, int]],
        plan: ElectPlan,
        context: FaultContext,
    ) -> None:
        """Plan it.

        Args:
            ports: the brokers' ports in the order in which they may be asked.
            leaders: the leader of each partition, as the broker to be elected sees it.
            plan: what is to move.
            context: where the fault belongs; its broker is the one to be elected.

        """
        self._ports = ports
        self._leaders = leaders
        self._plan = plan
        self._context = context
        self._window = Window()
        self._moved = 0

    def prepare(self) -> None:
        """Put the broker first among the replicas; raises InsyncError if that is refused."""
        from insync.faults.support import election  # here, so that scenarios load no broker code

        for partition, replicas in self._plan.replicas.items():
            election.reassign(self._ports(), self._plan.topic, partition, replicas)

    def inject(self) -> None:
        """Ask for the election and wait until the broker leads; raises InsyncError if refused."""
        from insync.faults.support import election

        self._window.begin()
        partitions = list(self._plan.replicas)
        election.elect_preferred(self._ports(), self._plan.topic, partitions)
        await_true(lambda: self._count() == len(partitions), ANSWERS_WITHIN_S)
        self._moved = self._count()
        self._window.end()

    def lift(self) -> None:
        """Nothing to do: the leaders stay where they are."""

    def evidence(self) -> FaultLine:
        """Return how many partitions moved, and how long it took."""
        figures = {"moved": float(self._moved)}
        return self._window.line(self._context, self._window.length_ms, figures)

    def _count(self) -> int:
        leaders = self._leaders()
        return sum(
            leaders.get(partition) == self._context.broker for partition in self._plan.replicas
        )


def _inject(spec: Elect, context: FaultContext, cluster: FaultCluster) -> Fault:
    first = cluster.replicas_led_by(spec.broker)
    # The old leader is asked last: it may be the one that does not answer.
    last = {cluster.leaders[partition] for partition in spec.partitions}
    plan = ElectPlan(topic=context.topic, replicas=dict.fromkeys(spec.partitions, first))
    targets = [f"{context.topic}-{partition}" for partition in spec.partitions]
    return ElectFault(
        partial(cluster.election_ports, last),
        partial(cluster.leaders_seen_by, spec.broker, context.topic),
        plan,
        replace(context, target=targets),
    )


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
    inject=_inject,
    missing=_missing,
    tags=Tags(moves_leaders=True, harmless=True),
)
