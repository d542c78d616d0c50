"""`more-partitions`: the broker leads many partitions of another topic, to which nobody writes.

They exist before the workload starts, and their followers fetch all of them. The topic is deleted
at the end. Evidence: how many of them the broker leads at the end, with every replica in the ISR.
"""

from typing import Annotated, Literal

from pydantic import Field

from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Tags, all_done
from insync.faults.spec import Lasting


class MorePartitions(Lasting):
    """The broker leads so many more partitions."""

    kind: Literal["more-partitions"]
    count: Annotated[int, Field(ge=1, le=4_000)]


class MorePartitionsFault(Fault[MorePartitions]):
    _there = False

    @property
    def topic(self) -> str:
        """The name of the topic, another one for each fault of a broker."""
        context = self.context
        return f"{context.topic}-more-{context.broker}-{context.planned_ms}"

    def prepare(self) -> None:
        self._there = True  # a creation that fails may succeed later
        self.cluster.make_idle_topic(self.topic, self.spec.broker, self.spec.count)

    def inject(self) -> None:
        self.window.begin()

    def lift(self) -> None:
        super().lift()
        if self._there:
            self.cluster.delete_topic(self.topic)
            self._there = False

    def end(self) -> None:
        broker = self.spec.broker
        leaders = self.cluster.leaders_seen_by(broker, self.topic).values()
        self.acted = led = sum(each == broker for each in leaders)
        seen = self.cluster.assignment_seen_by(broker, self.topic).values()
        whole = sum(set(replicas) == set(isr) for replicas, isr in seen)
        self.figures = {"asked": self.spec.count, "led": led, "whole": whole}
        self.window.end()


KIND = FaultKind(
    spec=MorePartitions,
    words=KindWords(
        does="the broker leads many partitions of another topic, to which nobody writes",
        mechanism="CreateTopics before the workload starts, DeleteTopics at the end",
        evidence="how many of them the broker leads at the end, and how many have all replicas in"
        " the ISR",
        notes="`count` is how many partitions. They exist before `at_ms`.",
    ),
    inject=MorePartitionsFault,
    missing=all_done("asked", "led"),
    tags=Tags(once=True, harmless=True, only_planned=True),
)
