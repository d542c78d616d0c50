"""Defines the keys that every planned fault has; each kind adds its own keys.

A fault is done to one node at `at_ms`, counted from the start of a repeat; one that lasts is
lifted `for_ms` later. A scenario file may name a role instead of a node, or let a fault repeat:
`insync.scenario.expand` makes primitive faults like these of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from insync.events.schema import fault_words
from insync.fields import BrokerId, NodeId, Part, Span, Time, broken

Mode = Literal["hold", "delay"]
"""Whether calls block until the fault is lifted, or take longer by a fixed time each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a fault's scenario says beside it.

    Args:
        index: the fault's number among the scenario's faults.
        leaders: the broker that leads each partition at the fault's time.
        flushes: whether brokers call fsync while they run.
        rolls: whether brokers roll their logs while they run.
        deletes: whether brokers look for old segments while they run.
        earlier: the faults that the scenario lists before it.

    """

    index: int
    leaders: Sequence[int]
    flushes: bool
    rolls: bool
    deletes: bool
    earlier: Sequence["Planned"]

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
    def nodes(self) -> frozenset[int]:
        """The nodes that it is done to."""
        return frozenset({self.broker})

    @property
    def elected(self) -> Sequence[int]:
        """The partitions of which it makes its broker the leader."""
        return ()

    @property
    def added(self) -> Sequence[int]:
        """The partitions to which it adds its broker as a replica."""
        return ()

    @property
    def removed(self) -> Sequence[int]:
        """The partitions of whose replicas it removes its broker for a time."""
        return ()

    @property
    def words(self) -> str:
        """What a reader calls it, such as "read stall"."""
        return fault_words(self.kind, "")

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
            expected = f"0 to {len(around.leaders) - 1}, the partitions of workload.leaders"
            raise broken(around.key(f"partitions[{place}]"), partition, expected)


def check_moved(
    partitions: Sequence[int],
    broker: int,
    around: Surroundings,
    *,
    already: str = "",
    by: str = "reassignment",
) -> None:
    """Check that another broker leads each partition, and that only one fault moves it.

    `already` and `by` are words of the errors: what the broker must not do, and what moves it.
    """
    check_partitions(partitions, around)
    for place, partition in enumerate(partitions):
        key = around.key(f"partitions[{place}]")
        if around.leaders[partition] == broker:
            raise broken(key, partition, f"a partition that broker {broker} does not lead{already}")
        if any(
            partition in (*other.added, *other.removed, *other.elected) for other in around.earlier
        ):
            raise broken(key, partition, f"a partition that no other {by} is about")
