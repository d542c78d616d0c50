"""`add-replica`: a reassignment adds a broker to the replicas of partitions: 2 of them become 3.

Before the workload starts the broker is taken out of the replicas and loses their log. At the
fault's time the controller is asked to add it again: it has everything to fetch. The lift changes
nothing, it only waits until the new replica is in the ISR.

With `throttle_bytes_per_s` its replication is throttled from then on, until it is in the ISR.

With `cancel` the lift cancels the reassignment instead, and the broker is not a replica afterwards.
Without a throttle, or a stall of its writes, it would be in the ISR by then, and nothing cancelled.

Evidence: in how many of the assignments the broker then is, in how many ISRs at the end, and how
many quotas were in force; with `cancel`, how many were in progress until then and not after. The
table `added_replicas` has the times, from the controller's log.
"""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.events.run_info import PlannedFault
from insync.faults.base import AnyLasting, Fault, await_true
from insync.faults.kind import (
    REASSIGNS,
    FaultKind,
    KindWords,
    RecordedFigures,
    Tags,
    all_done,
    each_partition,
    every_rule,
)
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_moved
from insync.fields import Partitions
from insync.nodes import ring

ASSIGNED_WITHIN_S: Final = 5.0
JOINED_WITHIN_S: Final = 15.0

RATES: Final = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
LEADERS: Final = "leader.replication.throttled.replicas"
FOLLOWERS: Final = "follower.replication.throttled.replicas"


class AddReplica(Lasting):
    """The broker becomes a replica of partitions; until the end it may take to join their ISRs."""

    kind: Literal["add-replica"]
    partitions: Partitions
    topic: OtherTopic | None = None
    throttle_bytes_per_s: Annotated[int | None, Field(ge=1)] = None
    cancel: bool = False

    @property
    def cancelled(self) -> Sequence[int]:
        return self.partitions if self.cancel else ()

    @property
    def added(self) -> Sequence[int]:
        return self.partitions

    def check_within(self, around: Surroundings) -> None:
        check_moved(self, self.partitions, around)


class ReplicaFault(Fault[AnyLasting]):
    """Changes whether the broker is among the replicas of some partitions.

    `replicas` are those of each partition when the broker is among them.
    """

    def plan(self) -> None:
        partitions = (*self.spec.added, *self.spec.removed)
        self.replicas = {each: ring(self.context.leaders[each]) for each in partitions}

    def assign_without(self) -> None:
        """Take the broker out of the replicas; raises InsyncError if that is refused."""
        for partition, replicas in self.replicas.items():
            others = [each for each in replicas if each != self.context.broker]
            self.cluster.assign(self.context.topic, partition, others)

    def assign_with(self) -> None:
        """Put it among the replicas; raises InsyncError if that is refused."""
        for partition, replicas in self.replicas.items():
            self.cluster.assign(self.context.topic, partition, replicas)

    def count(self, place: int) -> int:
        """Return of how many partitions the broker is in the replicas (0) or in the ISR (1)."""
        leader = self.context.leaders[next(iter(self.replicas))]
        seen = self.cluster.assignment_seen_by(leader, self.context.topic)
        return sum(
            self.context.broker in seen[partition][place]
            for partition in self.replicas
            if partition in seen
        )


class AddReplicaFault(ReplicaFault[AddReplica]):
    def plan(self) -> None:
        super().plan()
        for replicas in self.replicas.values():
            replicas.sort(key=lambda each: each == self.context.broker)
        self._throttle = Throttle(self) if self.spec.throttle_bytes_per_s else None

    def prepare(self) -> None:
        self.assign_without()

    def inject(self) -> None:
        self.window.begin()
        if self._throttle is not None:
            self._throttle.begin()
        self.assign_with()
        await_true(lambda: self.count(0) == len(self.replicas), ASSIGNED_WITHIN_S)
        self.figures["assigned"] = self.count(0)
        self.acted = self.figures["assigned"] == len(self.replicas)

    def end(self) -> None:
        """Wait until the broker is in the ISRs, or cancel; then delete its quotas, if any."""
        if self.spec.cancel:
            self._cancel()
        else:
            await_true(lambda: self.count(1) == len(self.replicas), JOINED_WITHIN_S)
            self.figures["joined"] = self.count(1)
        self.window.end()
        if self._throttle is not None:
            self.figures["quotas_asked"] = len(RATES) * len(self._throttle.brokers)
            self.figures["quotas_in_force"] = self._throttle.count()
            self._throttle.end()

    def _cancel(self) -> None:
        """Cancel the reassignments, and wait until there are none."""
        self.figures["in_progress"] = before = self._in_progress()
        for partition in self.replicas:
            self.cluster.assign(self.context.topic, partition, None)
        await_true(lambda: self.count(0) == self._in_progress() == 0, ASSIGNED_WITHIN_S)
        self.figures["cancelled"] = before - max(self.count(0), self._in_progress())

    def _in_progress(self) -> int:
        """Return to how many of the partitions the controller says that it adds the broker."""
        found = self.cluster.adding(self.context.topic, list(self.replicas))
        return sum(self.context.broker in each for each in found.values())


class Throttle:
    """Quotas for the replication to the new replica, as `kafka-reassign-partitions --throttle` has.

    Kafka's quota is a rate per broker, and each topic says for which of its replicas it counts. A
    leader whose quota is used up answers a fetch without the records of such partitions.
    """

    def __init__(self, fault: AddReplicaFault) -> None:
        """Plan them for the partitions of a fault."""
        spec, context = fault.spec, fault.context
        self._cluster = fault.cluster
        self._topic = context.topic
        self._follower = spec.broker
        self._leaders = {each: context.leaders[each] for each in spec.partitions}
        self._rates = dict.fromkeys(RATES, str(spec.throttle_bytes_per_s))

    @property
    def brokers(self) -> list[int]:
        """The brokers that have a quota."""
        return sorted({*self._leaders.values(), self._follower})

    def begin(self) -> None:
        """Set the quotas; raises InsyncError if that is refused."""
        leaders = ",".join(f"{partition}:{leader}" for partition, leader in self._leaders.items())
        followers = ",".join(f"{partition}:{self._follower}" for partition in self._leaders)
        quotas = {LEADERS: leaders, FOLLOWERS: followers}
        self._cluster.update_topic_configs(self._topic, quotas)
        for broker in self.brokers:
            self._cluster.update_configs(broker, self._rates)

    def count(self) -> int:
        """Return how many quotas are in force, two per broker."""
        return sum(self._cluster.configs_in_force(each, self._rates) for each in self.brokers)

    def end(self) -> None:
        """Delete the quotas."""
        for broker in self.brokers:
            self._cluster.update_configs(broker, dict.fromkeys(RATES))
        self._cluster.update_topic_configs(self._topic, dict.fromkeys((LEADERS, FOLLOWERS)))


def _missing(plan: PlannedFault, seen: RecordedFigures) -> str | None:
    cancel = (plan.model_extra or {}).get("cancel")
    rules = [each_partition("assigned", *(("in_progress", "cancelled") if cancel else ("joined",)))]
    if "quotas_asked" in seen.figures:
        rules.append(all_done("quotas_asked", "quotas_in_force"))
    return every_rule(*rules)(plan, seen)


KIND = FaultKind(
    spec=AddReplica,
    words=KindWords(
        does="the broker becomes a replica of partitions, and has to fetch all of their log",
        mechanism="a reassignment; another one beforehand takes the broker out of the replicas",
        evidence="of how many partitions it then is a replica, and in how many ISRs it is at the"
        " end; of the quotas, how many are in force; how many were in progress when cancelled, and"
        " not afterwards",
        notes="What a user does who raises the replication factor. The end waits for the ISR, at"
        f" most {JOINED_WITHIN_S:g} s. `throttle_bytes_per_s` is a quota for what the new replicas"
        " fetch, as of `kafka-reassign-partitions --throttle`. With `cancel = true` the end cancels"
        " the reassignment, which must be in progress, and the broker is not a replica afterwards.",
    ),
    inject=AddReplicaFault,
    missing=_missing,
    tags=Tags(harmless=True, oldest=REASSIGNS),
)
