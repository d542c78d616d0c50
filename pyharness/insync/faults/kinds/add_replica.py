"""`add-replica`: a reassignment adds a broker to the replicas of partitions: 2 of them become 3.

Before the workload starts the broker is taken out of the replicas and loses their log. At the
fault's time the controller is asked to add it again: it has everything to fetch. The lift changes
nothing, it only waits until the new replica is in the ISR.

With `throttle_bytes_per_s` its replication is throttled from then on, until it is in the ISR.

Evidence: in how many of the assignments the broker then is, in how many ISRs at the end, and how
many quotas were in force. The table `added_replicas` has the times, from the controller's log.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window, await_true
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, figure, not_all
from insync.faults.spec import Lasting, Surroundings, check_moved
from insync.faults.support.throttle import RATES, Throttle
from insync.fields import Partitions, check_unique

ASSIGNED_WITHIN_S: Final = 5.0
JOINED_WITHIN_S: Final = 15.0

Assignment = Mapping[int, tuple[Sequence[int], Sequence[int]]]
"""By partition, its replicas and its ISR."""


class AddReplica(Lasting):
    """The broker becomes a replica of partitions; until the end it may take to join their ISRs."""

    kind: Literal["add-replica"]
    partitions: Partitions
    throttle_bytes_per_s: Annotated[int | None, Field(ge=1)] = None

    @property
    def added(self) -> Sequence[int]:
        """The partitions to which it adds its broker as a replica."""
        return self.partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_unique("partitions", self.partitions)
        return self

    def check_within(self, around: Surroundings) -> None:
        """Check that another broker leads each partition, and that it is changed only once."""
        check_moved(self.partitions, self.broker, around)


@dataclass(frozen=True, kw_only=True, slots=True)
class AddPlan:
    """The partitions of a topic, each with its replicas when the broker is among them, the last."""

    topic: str
    replicas: Mapping[int, Sequence[int]]


class AddReplicaFault:
    """A `Fault`: one broker becomes a replica of some partitions."""

    def __init__(
        self,
        ports: Callable[[], Sequence[int]],
        assignment: Callable[[], Assignment],
        plan: AddPlan,
        context: FaultContext,
        throttle: Throttle | None = None,
    ) -> None:
        """Plan it.

        Args:
            ports: the brokers' ports in the order in which they may be asked.
            assignment: replicas and ISR of each partition, as a broker knows them.
            plan: what is to be assigned.
            context: where the fault belongs; its broker is the one to be added.
            throttle: the quotas of its replication, if there are any.

        """
        self._ports = ports
        self._assignment = assignment
        self._plan = plan
        self._context = context
        self._throttle = throttle
        self._quotas = 0
        self._window = Window()
        self._assigned = 0
        self._joined = 0

    def prepare(self) -> None:
        """Take the broker out of the replicas; raises InsyncError if that is refused."""
        for partition, replicas in self._plan.replicas.items():
            self._assign(partition, [each for each in replicas if each != self._context.broker])

    def inject(self) -> None:
        """Add the broker and wait until it is assigned; raises InsyncError if that is refused."""
        self._window.begin()
        if self._throttle is not None:
            self._throttle.begin()
        for partition, replicas in self._plan.replicas.items():
            self._assign(partition, replicas)
        await_true(lambda: self._count(0) == len(self._plan.replicas), ASSIGNED_WITHIN_S)
        self._assigned = self._count(0)

    def lift(self) -> None:
        """Wait until the broker is in the ISRs; then delete its quotas, if there are any."""
        if not self._window.is_open:
            return
        await_true(lambda: self._count(1) == len(self._plan.replicas), JOINED_WITHIN_S)
        self._joined = self._count(1)
        self._window.end()
        if self._throttle is not None:
            self._quotas = self._throttle.count()
            self._throttle.end()

    def evidence(self) -> FaultLine:
        """Return in how many assignments and ISRs the broker was."""
        whole = self._assigned == len(self._plan.replicas)
        figures = {"assigned": float(self._assigned), "joined": float(self._joined)}
        if self._throttle is not None:
            figures["quotas_asked"] = float(len(RATES) * len(self._throttle.brokers))
            figures["quotas_in_force"] = float(self._quotas)
        return self._window.line(self._context, self._window.length_ms if whole else 0.0, figures)

    def _assign(self, partition: int, replicas: Sequence[int]) -> None:
        from insync.faults.support import election  # here, so that scenarios load no broker code

        election.reassign(self._ports(), self._plan.topic, partition, replicas)

    def _count(self, place: int) -> int:
        """Return of how many partitions the broker is in the replicas (0) or in the ISR (1)."""
        seen = self._assignment()
        return sum(
            self._context.broker in seen[partition][place]
            for partition in self._plan.replicas
            if partition in seen
        )


def _inject(spec: AddReplica, context: FaultContext, cluster: FaultCluster) -> Fault:
    replicas = {
        partition: _added_last(cluster.replicas_led_by(cluster.leaders[partition]), spec.broker)
        for partition in spec.partitions
    }
    targets = [f"{context.topic}-{partition}" for partition in spec.partitions]
    return AddReplicaFault(
        partial(cluster.election_ports, ()),
        partial(cluster.assignment_seen_by, cluster.leaders[spec.partitions[0]], context.topic),
        AddPlan(topic=context.topic, replicas=replicas),
        replace(context, target=targets),
        _throttle(spec, context.topic, cluster),
    )


def _throttle(spec: AddReplica, topic: str, cluster: FaultCluster) -> Throttle | None:
    if spec.throttle_bytes_per_s is None:
        return None
    return Throttle(
        update_broker=cluster.update_configs,
        update_topic=partial(cluster.update_topic_configs, topic),
        in_force=cluster.configs_in_force,
        leaders={partition: cluster.leaders[partition] for partition in spec.partitions},
        follower=spec.broker,
        bytes_per_s=spec.throttle_bytes_per_s,
    )


def _added_last(replicas: Sequence[int], broker: int) -> list[int]:
    return [*(each for each in replicas if each != broker), broker]


def _missing(plan: PlannedFault, seen: Recorded) -> str | None:
    expected = len(plan.partitions)
    for name in ("assigned", "joined"):
        value = seen.figures.get(name, 0.0)
        if value != expected:
            return figure(name, value, f"exactly {expected}")
    throttled = "quotas_asked" in seen.figures
    return not_all(seen, "quotas_asked", "quotas_in_force") if throttled else None


KIND = FaultKind(
    spec=AddReplica,
    words=Words(
        does="the broker becomes a replica of partitions, and has to fetch all of their log",
        mechanism="a reassignment; another one beforehand takes the broker out of the replicas",
        evidence="of how many partitions it then is a replica, and in how many ISRs it is at the"
        " end; of the quotas, how many are in force",
        notes="What a user does who raises the replication factor. The end waits for the ISR, at"
        f" most {JOINED_WITHIN_S:g} s. `throttle_bytes_per_s` is a quota for what the new replicas"
        " fetch, as of `kafka-reassign-partitions --throttle`.",
    ),
    probes=both(always),
    inject=_inject,
    missing=_missing,
    tags=Tags(harmless=True),
)
