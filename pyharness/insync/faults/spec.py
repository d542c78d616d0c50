"""Defines the keys that every planned fault has; each kind adds its own keys.

A fault is done to one node at `at_ms`, counted from the start of a repeat; one that lasts is
lifted `for_ms` later. A scenario file may name a role instead of a node, or let a fault repeat:
`insync.scenario.expand` makes primitive faults like these of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from insync.events.run_info import PlannedFault
from insync.fields import AnyNodeId, BrokerId, NodeId, Part, Span, Time, broken

Mode = Literal["hold", "delay"]
"""Whether calls block until the fault is lifted, or take longer by a fixed time each."""

BESIDE: Final = "beside"
OtherTopic = Literal["__transaction_state", "__consumer_offsets", "beside"]
"""A topic that a fault may be about instead of the workload's: Kafka's own, or the scenario's
`[beside]`."""
INTERNAL: Final[Mapping[str, Sequence[int]]] = {
    "__transaction_state": (1, 2, 3),
    "__consumer_offsets": (1,),
}
"""Kafka's own topics, and who leads their partitions when a repeat begins."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a fault's scenario says beside it.

    Args:
        index: the fault's number among the scenario's faults.
        leaders: the broker that leads each partition of the fault's topic at its time.
        flushes: whether brokers call fsync while they run.
        rolls: whether brokers roll their logs while they run.
        deletes: whether brokers look for old segments while they run.
        earlier: the faults that the scenario lists before it.
        log_dirs: how many log directories a broker has.

    """

    index: int
    leaders: Sequence[int]
    flushes: bool
    rolls: bool
    deletes: bool
    earlier: Sequence["Planned"]
    log_dirs: int = 1

    def key(self, name: str) -> str:
        """Return the path of one of the fault's keys."""
        return f"faults[{self.index}].{name}"


class Planned(Part):
    """A fault of one broker at one time.

    `intensity` names the keys that say how strong the fault is: a `ramp` raises those.
    """

    intensity: ClassVar[tuple[str, ...]] = ()

    broker: BrokerId
    at_ms: Time

    if TYPE_CHECKING:
        # A field of each kind, which declares it as a Literal. Declared here as a field, it
        # would come before the other keys wherever these are listed.
        kind: str

    @property
    def end_ms(self) -> int:
        """When it is over, from the start of the repeat."""
        return self.at_ms

    @property
    def other_topic(self) -> str | None:
        """The topic that it is about, unless that is the workload's."""
        return getattr(self, "topic", None)

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes that it is done to."""
        return frozenset({self.broker})

    @property
    def elected(self) -> Sequence[int]:
        """The partitions of which it makes its broker the leader."""
        return ()

    @property
    def loses_records(self) -> bool:
        """Whether it takes acked records from all replicas, as planned."""
        return False

    @property
    def added(self) -> Sequence[int]:
        """The partitions to which it adds its broker as a replica."""
        return ()

    @property
    def cancelled(self) -> Sequence[int]:
        """The partitions of these whose replica it is not in the end."""
        return ()

    @property
    def removed(self) -> Sequence[int]:
        """The partitions of whose replicas it removes its broker for a time."""
        return ()

    @property
    def words(self) -> str:
        """What it is, how strong and where, such as "read stall at broker 1"."""
        return PlannedFault.model_validate(self.model_dump(exclude_none=True)).words

    def check_within(self, around: Surroundings) -> None:
        """Raise `broken` if it does not fit into its scenario."""


class Lasting(Planned):
    """A fault that is lifted again."""

    for_ms: Span

    @property
    def end_ms(self) -> int:
        """When it is lifted, from the start of the repeat."""
        return self.at_ms + self.for_ms


class OnProcess(Lasting):
    """A fault of a node's whole process: a broker's, or the controller's."""

    broker: NodeId


class OnAnyProcess(OnProcess):
    """The same, or of the controller that is the active one when it begins."""

    broker: AnyNodeId


def check_delay(mode: str, delay_ms: int) -> None:
    """Check that mode "delay" has a length and that the other modes have none."""
    if mode == "delay" and delay_ms == 0:
        raise broken("delay_ms", delay_ms, "more than 0 for mode 'delay'")
    if mode != "delay" and delay_ms != 0:
        raise broken("delay_ms", delay_ms, f"none for mode '{mode}'")


def check_partitions(partitions: Sequence[int], around: Surroundings) -> None:
    """Check that the partitions of a fault exist."""
    for place, partition in enumerate(partitions):
        if partition >= len(around.leaders):
            expected = f"0 to {len(around.leaders) - 1}, the topic's partitions"
            raise broken(around.key(f"partitions[{place}]"), partition, expected)


def check_moved(fault: Planned, partitions: Sequence[int], around: Surroundings) -> None:
    """Check that another broker leads each partition, and that only one fault moves it.

    Several elections may: each begins with the order of the replicas that it needs.
    """
    check_partitions(partitions, around)
    already = " already" if fault.elected else ""
    for place, partition in enumerate(partitions):
        key = around.key(f"partitions[{place}]")
        if around.leaders[partition] == fault.broker:
            expected = f"a partition that broker {fault.broker} does not lead{already}"
            raise broken(key, partition, expected)
        for other in around.earlier:
            by = "reassignment" if fault.elected else "election or reassignment"
            moved = (*other.added, *other.removed, *(() if fault.elected else other.elected))
            if other.other_topic == fault.other_topic and partition in moved:
                raise broken(key, partition, f"a partition that no other {by} is about")
