"""The answer of `insync why`: the slow brokers, why, by which evidence, and what is unknown.

`--json` prints these classes field by field.
"""

from dataclasses import dataclass
from typing import Literal

from insync.why.facts import LogLine, Partition, Span

Cause = Literal["disk", "network", "process", "undecided"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A figure that was seen, and what it says."""

    says: str
    value: float
    unit: str = "ms"

    def __str__(self) -> str:
        """Return the evidence as a line."""
        return f"{self.says}: {self.value:,.0f} {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """A follower that stock Kafka drops from the ISRs of some partitions.

    `rightly` says whether it is a broker that is slow; None if that is not decided. `kept` says
    that the agent kept it there.
    """

    follower: int
    partitions: tuple[Partition, ...]
    rightly: bool | None
    kept: bool


Range = tuple[float, float]
"""At least, and at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kip501:
    """What KIP-501 would have done for the followers that a leader removed wrongly.

    Times are seconds, summed over partitions: those that passed `under_min_isr` or `offline`, and
    those of them that solution 1, or a step-down before the lag was over, would have saved.
    """

    removals: int = 0
    kept: Range = (0, 0)
    under_min_isr: float = 0
    offline: float = 0
    solution_1: Range = (0, 0)
    step_down: Range = (0, 0)
    not_known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LedSpan(Span):
    """What a broker led in a time: partitions, their replicas, and those of them in sync.

    `under` are the partitions below their min.insync.replicas. `away` says that the controller had
    fenced the broker, or that it had ended.
    """

    broker: int
    partitions: int
    replicas: int
    in_sync: int
    under: int
    away: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowBroker:
    """A broker that was slow for a span of time.

    `peer` is the broker at the other end if the cause is the link between the two. `partitions` are
    those that are known to be affected; none: not known which. `may_be` are the causes that are
    left if none is decided. `times` is how often it came, in logs; the evidence is that of the
    longest time. `lines` are the first lines of logs that show it, `more_lines` counts
    the others. `kip_501` is known if logs are the source.
    """

    span: Span
    broker: int
    cause: Cause
    site: str
    evidence: tuple[Evidence, ...]
    partitions: tuple[Partition, ...] = ()
    peer: int | None = None
    may_be: tuple[Cause, ...] = ()
    blamed: tuple[Blamed, ...] = ()
    times: int = 1
    lines: tuple[LogLine, ...] = ()
    more_lines: int = 0
    lanes: tuple[LedSpan, ...] = ()
    kip_501: Kip501 | None = None

    @property
    def brokers(self) -> tuple[int, ...]:
        """The broker, and the one at the other end of a link."""
        return (self.broker,) if self.peer is None else (self.broker, self.peer)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is found in one span of time of one cluster, and what is not known.

    `about` names the cluster and the span, such as an arm and a repeat. `unread` are sources that
    could not be read although they must exist; `blind` says that no source could be read. `notes`
    say what was read, and what was done with it.
    """

    about: str
    span: Span
    findings: tuple[SlowBroker, ...] = ()
    gaps: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    blind: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether everything could be read, and the cause of everything found is decided."""
        return not self.unread and all(each.cause != "undecided" for each in self.findings)
