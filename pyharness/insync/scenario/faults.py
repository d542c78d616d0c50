"""The primitive faults of a scenario, told apart by their `kind`.

Every fault is done to one node at `at_ms`, counted from the start of a repeat; those that
last are lifted `for_ms` later. What a file may say instead of a node or a single time, such
as `target = "leader of 0"`, has become faults like these by the time (`expand.py`).
"""

from typing import Annotated, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from insync.scenario import rules
from insync.scenario.base import BrokerId, NodeId, Part, Partitions, Span, Time

Site = Literal["read", "send", "write"]
Mode = Literal["hold", "delay"]


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
    """

    intensity = ("delay_ms",)

    kind: Literal["stall"]
    site: Site
    mode: Mode
    delay_ms: Time = 0
    partitions: Partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_delay(self.mode, self.delay_ms)
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


class QueueStall(Lasting):
    """All request handler threads of the broker hang in reads of another topic."""

    kind: Literal["queue-stall"]


class Kill(OnProcess):
    """The process is killed (SIGKILL), and started again at the end."""

    kind: Literal["kill"]


class Elect(Planned):
    """The broker is elected leader of partitions that another one leads."""

    kind: Literal["elect"]
    partitions: Partitions

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_unique("partitions", self.partitions)
        return self


Fault = Stall | Freeze | CpuQuota | QueueStall | Kill | Elect

KINDS: Final[dict[str, type[Fault]]] = {
    "stall": Stall,
    "freeze": Freeze,
    "cpu-quota": CpuQuota,
    "queue-stall": QueueStall,
    "kill": Kill,
    "elect": Elect,
}
"""The kinds, as they stand in files."""

ALONE: Final = ("freeze", "kill")
"""Kinds during which nothing else may be done to the same node: it could not answer."""

ONCE: Final = ("cpu-quota", "queue-stall")
"""Kinds of which there may be only one at a time: a second would lift the first."""


def clash(one: Fault, other: Fault) -> bool:
    """Whether two faults must not be at the same time."""
    if one.broker != other.broker:
        return False
    alone = one.kind in ALONE or other.kind in ALONE
    return alone or (one.kind == other.kind and one.kind in ONCE)
