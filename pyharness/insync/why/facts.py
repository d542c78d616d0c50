"""What is known of a cluster in a span of time, whichever source it comes from.

Times are milliseconds since the epoch, durations milliseconds. A fact says what was seen, never
why; `insync.why.infer` draws the conclusions.
"""

from dataclasses import dataclass, field
from typing import NamedTuple


class Partition(NamedTuple):
    """A topic's partition."""

    topic: str
    number: int

    def __str__(self) -> str:
        """Return TOPIC-PARTITION, as Kafka's logs write it."""
        return f"{self.topic}-{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A time from `since_ms` to `until_ms`."""

    since_ms: float
    until_ms: float

    @property
    def ms(self) -> float:
        """How long it is."""
        return self.until_ms - self.since_ms

    def overlap_ms(self, other: "Span") -> float:
        """Return how long both last at the same time; 0 if they do not."""
        common = min(self.until_ms, other.until_ms) - max(self.since_ms, other.since_ms)
        return max(0.0, common)

    def touches(self, other: "Span", within_ms: float = 0) -> bool:
        """Whether the two overlap, or are not further apart than `within_ms`."""
        return (
            self.since_ms <= other.until_ms + within_ms
            and other.since_ms <= self.until_ms + within_ms
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Span):
    """A broker's process did not run for `paused_ms` of the span, as its agent measured."""

    broker: int
    paused_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Span):
    """A broker's process ended, and was started again or not; until the controller let it in."""

    broker: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced(Span):
    """The controller had no heartbeats of a broker for longer than its session."""

    broker: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Served(Span):
    """A leader took this long for a follower's fetch.

    `follower` is None if the leader does not say whose fetch it was, `partition` for a fetch of
    many partitions. `site` is where the leader was with it, if
    the agent says so. `decided` says that the leader itself found it too slow, by its own limit.
    `held` says that stock Kafka would have removed the follower from this
    partition's ISR: the agent kept it there.
    """

    leader: int
    follower: int | None
    partition: Partition | None
    site: str | None = None
    decided: bool = False
    held: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended(Span):
    """An append to a partition hung at its leader, at a site that the agent names."""

    leader: int
    partition: Partition
    site: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited(Span):
    """A broker's fetches to a peer were overdue, as the agent of the broker saw."""

    broker: int
    peer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A follower was removed from a partition's ISR; `left` members remained.

    `unseen_ms` is how long before that its last fetch was; None if only the controller's log says
    so, and infinite for a follower that had never fetched. `fenced` says that the controller
    removed it, not the leader.
    """

    at_ms: float
    leader: int
    follower: int
    partition: Partition
    left: int = 0
    unseen_ms: float | None = None
    fenced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unacked(Span):
    """No record of a partition was acked, though records were due."""

    leader: int
    partition: Partition


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads(Span):
    """A broker led a partition, with these replicas."""

    leader: int
    partition: Partition
    replicas: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class Facts:
    """All that is known of a cluster in a span of time.

    `heard` are the brokers whose agents sent lines; `pauses_known` are those of them that also
    measure pauses of their process, `peers_known` those that watch their peers, `appends_known`
    those that time their appends. `lag_ms` is replica.lag.time.max.ms. `clock_moved` are brokers
    whose wall clock jumped: their times are not comparable. `by_time` is whether followers are out
    of sync by time, as in Kafka since 0.9. `unreadable` counts lines that are not as they must be.
    `reports` are the times at which an agent reported its pauses; `undated` pauses were at some
    time between two reports that are far apart. `written` is from when until when records of a
    partition were due.
    """

    lag_ms: float
    span: Span
    brokers: set[int] = field(default_factory=set)
    heard: set[int] = field(default_factory=set)
    pauses_known: set[int] = field(default_factory=set)
    peers_known: set[int] = field(default_factory=set)
    appends_known: set[int] = field(default_factory=set)
    clock_moved: set[int] = field(default_factory=set)
    by_time: bool = True
    unreadable: int = 0
    controller_known: bool = False
    clients_known: bool = False
    reports: dict[int, list[float]] = field(default_factory=dict)
    paused: list[Paused] = field(default_factory=list)
    undated: list[Paused] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    fenced: list[Fenced] = field(default_factory=list)
    served: list[Served] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)
    awaited: list[Awaited] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unacked: list[Unacked] = field(default_factory=list)
    written: dict[Partition, Span] = field(default_factory=dict)
    leads: list[Leads] = field(default_factory=list)
