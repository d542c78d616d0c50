"""`more-partitions`: the broker leads many partitions of another topic, to which nobody writes.

They exist before the workload starts, and their followers fetch all of them. The topic is deleted
at the end. Evidence: how many of them the broker leads at the end, with every replica in the ISR.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, both, not_all
from insync.faults.kinds.add_replica import Assignment
from insync.faults.spec import Lasting


class MorePartitions(Lasting):
    """The broker leads so many more partitions."""

    kind: Literal["more-partitions"]
    count: Annotated[int, Field(ge=1, le=4_000)]


class MorePartitionsFault:
    """A `Fault`: a topic of which one broker leads all partitions."""

    def __init__(
        self,
        create: Callable[[str], None],
        delete: Callable[[str], None],
        assignment: Callable[[str], Assignment],
        leaders: Callable[[str], Mapping[int, int]],
        count: int,
        context: FaultContext,
    ) -> None:
        """Plan it.

        Args:
            create: creates a topic and waits until each replica is in the ISR.
            delete: deletes it.
            assignment: replicas and ISR of each partition, as the broker knows them.
            leaders: the leader of each partition, as the broker knows it.
            count: how many partitions it is to lead.
            context: where the fault belongs; its broker is the one that leads them.

        The first four raise InsyncError if they are refused.

        """
        self._create = create
        self._delete = delete
        self._assignment = assignment
        self._leaders = leaders
        self._count = count
        self._context = context
        self._topic = f"{context.topic}-more-{context.broker}-{context.planned_ms}"
        self._window = Window()
        self._there = False
        self._led = 0
        self._whole = 0

    def prepare(self) -> None:
        """Create the partitions; raises InsyncError if that is refused."""
        self._there = True  # a creation that fails may succeed later
        self._create(self._topic)

    def inject(self) -> None:
        """Begin the time that counts."""
        self._window.begin()

    def lift(self) -> None:
        """Count the partitions, and delete them."""
        if self._window.is_open:
            broker = self._context.broker
            self._led = sum(each == broker for each in self._leaders(self._topic).values())
            seen = self._assignment(self._topic).values()
            self._whole = sum(set(replicas) == set(isr) for replicas, isr in seen)
            self._window.end()
        if self._there:
            self._delete(self._topic)
            self._there = False

    def evidence(self) -> FaultLine:
        """Return how many partitions the broker led, and how many had every replica in the ISR."""
        figures = {
            "asked": float(self._count),
            "led": float(self._led),
            "whole": float(self._whole),
        }
        return self._window.line(
            self._context, self._window.length_ms if self._led else 0.0, figures
        )


def _inject(spec: MorePartitions, context: FaultContext, cluster: FaultCluster) -> Fault:
    return MorePartitionsFault(
        partial(cluster.make_idle_topic, broker=spec.broker, partitions=spec.count),
        cluster.delete_topic,
        partial(cluster.assignment_seen_by, spec.broker),
        partial(cluster.leaders_seen_by, spec.broker),
        spec.count,
        context,
    )


def _missing(_: PlannedFault, seen: Recorded) -> str | None:
    return not_all(seen, "asked", "led")


KIND = FaultKind(
    spec=MorePartitions,
    words=Words(
        does="the broker leads many partitions of another topic, to which nobody writes",
        mechanism="CreateTopics before the workload starts, DeleteTopics at the end",
        evidence="how many of them the broker leads at the end, and how many have all replicas in"
        " the ISR",
        notes="`count` is how many partitions. They exist before `at_ms`.",
    ),
    probes=both(always),
    inject=_inject,
    missing=_missing,
    tags=Tags(once=True, harmless=True),
)
