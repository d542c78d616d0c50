"""The primitive faults of a scenario, told apart by their `kind`.

Every fault is done to one node at `at_ms`, counted from the start of a repeat; those that
last are lifted `for_ms` later. What a file may say instead of a node or a single time, such
as `target = "leader of 0"`, has become faults like these by the time (`expand.py`).
"""

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from insync.scenario import rules
from insync.scenario.base import BrokerId, NodeId, Part, Partitions, Span, Time

Site = Literal["read", "send", "write", "fsync"]
Mode = Literal["hold", "delay"]
LinkMode = Literal["cut", "delay", "slow"]
Operation = Literal["read", "write", "fsync"]


class Planned(Part):
    """What every fault has: whom it is done to, and when.

    `intensity` names the keys by which a fault acts more or less: those that a `ramp` is about.
    """

    intensity: ClassVar[tuple[str, ...]] = ()

    broker: BrokerId
    at_ms: Time

    @property
    def end_ms(self) -> int:
        """When it is over, from the start of the repeat."""
        return self.at_ms


class Lasting(Planned):
    """A fault that is lifted again."""

    for_ms: Span

    @property
    def end_ms(self) -> int:
        """When it is lifted, from the start of the repeat."""
        return self.at_ms + self.for_ms


class OnProcess(Lasting):
    """A fault of a node's whole process, be it a broker's or the controller's."""

    broker: NodeId


class Stall(Lasting):
    """System calls of the broker on chosen partitions wait, or take `delay_ms` longer.

    Sites `read` and `send` are those of a partition's leader, the others those of any replica.
    `acts_ms` is how long a hold must act to prove anything; 0 for half of its time.
    """

    intensity = ("delay_ms",)

    kind: Literal["stall"]
    site: Site
    mode: Mode
    delay_ms: Time = 0
    acts_ms: Time = 0
    partitions: Partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_delay(self.mode, self.delay_ms)
        rules.check_acts(self.mode, self.acts_ms, self.for_ms)
        rules.check_unique("partitions", self.partitions)
        return self


class Freeze(OnProcess):
    """The process is stopped (SIGSTOP) and goes on later."""

    kind: Literal["freeze"]


class CpuQuota(OnProcess):
    """The process gets `quota_percent` of one core."""

    intensity = ("quota_percent",)

    kind: Literal["cpu-quota"]
    quota_percent: Annotated[float, Field(ge=0.1, le=100)]


class CpuNeighbour(OnProcess):
    """The process shares one core with busy processes, `neighbours` of them."""

    kind: Literal["cpu-neighbour"]
    neighbours: Annotated[int, Field(ge=1, le=16)] = 4


class QueueStall(Lasting):
    """All request handler threads of the broker hang in reads of another topic."""

    kind: Literal["queue-stall"]


class Kill(OnProcess):
    """The process is killed (SIGKILL), and started again at the end."""

    kind: Literal["kill"]


class LostLog(Lasting):
    """The process is killed and started again at the end, without its log of the partitions."""

    kind: Literal["lost-log"]


class Link(Lasting):
    """Replication between the broker and its `peer`, both ways, is cut or held up.

    Every byte takes `delay_ms` longer, or at most `bytes_per_s` pass in each direction.
    """

    intensity = ("delay_ms", "bytes_per_s")

    kind: Literal["link"]
    peer: BrokerId
    mode: LinkMode
    delay_ms: Time = 0
    bytes_per_s: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_peer(self.broker, self.peer)
        rules.check_delay(self.mode, self.delay_ms)
        rules.check_rate(self.mode, self.bytes_per_s)
        return self


class DiskStall(Lasting):
    """Operations of the broker on its whole log folder wait, or take `delay_ms` longer."""

    intensity = ("delay_ms",)

    kind: Literal["disk-stall"]
    mode: Mode
    delay_ms: Time = 0
    operations: Annotated[tuple[Operation, ...], Field(strict=False, min_length=1)] = (
        "read", "write", "fsync",
    )  # fmt: skip

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_delay(self.mode, self.delay_ms)
        rules.check_unique("operations", self.operations)
        return self


class DiskThrottle(Lasting):
    """What the broker reads from its disk, and flushes to it, is held to a rate."""

    intensity = ("read_bytes_per_s", "write_bytes_per_s")

    kind: Literal["disk-throttle"]
    read_bytes_per_s: Annotated[int, Field(ge=1)] | None = None
    write_bytes_per_s: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_throttled(self.read_bytes_per_s, self.write_bytes_per_s)
        return self


class DiskFull(Lasting):
    """The disk of the broker's log folder is full; a broker that ended of it is started again."""

    kind: Literal["disk-full"]


class DiskReadOnly(Lasting):
    """The disk of the broker's log folder is read-only, and the broker is started again after."""

    kind: Literal["disk-read-only"]


class Elect(Planned):
    """The broker is elected leader of partitions that another one leads."""

    kind: Literal["elect"]
    partitions: Partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_unique("partitions", self.partitions)
        return self


Fault = (
    Stall | Freeze | CpuQuota | CpuNeighbour | QueueStall | Kill | LostLog | Link
    | DiskStall | DiskThrottle | DiskFull | DiskReadOnly | Elect
)  # fmt: skip

KINDS: Final[dict[str, type[Fault]]] = {
    "stall": Stall,
    "freeze": Freeze,
    "cpu-quota": CpuQuota,
    "cpu-neighbour": CpuNeighbour,
    "queue-stall": QueueStall,
    "kill": Kill,
    "lost-log": LostLog,
    "link": Link,
    "disk-stall": DiskStall,
    "disk-throttle": DiskThrottle,
    "disk-full": DiskFull,
    "disk-read-only": DiskReadOnly,
    "elect": Elect,
}
"""The kinds, as they stand in files."""

ALONE: Final = ("freeze", "kill", "lost-log", "disk-full", "disk-read-only")
"""Kinds during which nothing else may be done to the same node: it could not answer."""

ONCE: Final = ("cpu-quota", "cpu-neighbour", "queue-stall")
"""Kinds of which there may be only one at a time: a second would lift the first."""

GROUPED: Final = ("cpu-quota", "disk-throttle")
"""Kinds that move the process into a group; it can be in one at a time."""

DISKS: Final = {
    "disk-stall": "a file system that can be stalled",
    "disk-throttle": "the machine's own disk",
    "disk-full": "a small volume",
    "disk-read-only": "a small volume",
}
"""What a kind's fault needs under the broker's log folder, where there can be only one thing."""


def clash(one: Fault, other: Fault) -> bool:
    """Whether two faults must not be at the same time."""
    if isinstance(one, Link) and isinstance(other, Link):
        return _nodes(one) == _nodes(other)
    if one.kind in ALONE or other.kind in ALONE:
        return bool(_nodes(one) & _nodes(other))
    if one.broker != other.broker:
        return False
    both_grouped = one.kind in GROUPED and other.kind in GROUPED
    return both_grouped or (one.kind == other.kind and one.kind in ONCE)


def _nodes(fault: Fault) -> set[int]:
    return {fault.broker, fault.peer} if isinstance(fault, Link) else {fault.broker}
