"""What is known of a cluster in a span of time, whichever source it comes from.

Times are milliseconds since the epoch, durations milliseconds. A fact says what was seen, never
why; `insync.why.infer` draws the conclusions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

APPEND: Final = "append"
LOST_DIR: Final = f"{APPEND}: a log directory failed"
NO_CLIENTS: Final = "no clients' view: a leader whose appends hang shows only if it times them"
ASKED_FENCING: Final = "asks to be fenced"
"""The site of a broker that asks for its fencing: it found itself too slow to lead or to follow."""
FOLLOWER_APPEND: Final = "append as a follower"


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

    def holds(self, at_ms: float) -> bool:
        """Whether a moment is within it."""
        return self.since_ms <= at_ms <= self.until_ms

    def covers(self, other: "Span") -> bool:
        """Whether another one is within it."""
        return self.since_ms <= other.since_ms and other.until_ms <= self.until_ms

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


_S = TypeVar("_S", bound=Span)


def groups(spans: Iterable[_S], apart_ms: float) -> Iterator[list[_S]]:
    """Yield the spans in groups whose members are not further apart than `apart_ms`."""
    together: list[_S] = []
    end = 0.0
    for span in sorted(spans, key=lambda each: each.since_ms):
        if together and span.since_ms > end + apart_ms:
            yield together
            together = []
        end = span.until_ms if not together else max(end, span.until_ms)
        together.append(span)
    if together:
        yield together


def whole(spans: Sequence[Span]) -> Span:
    """Return the span from the first begin to the last end."""
    return Span(
        since_ms=min(each.since_ms for each in spans), until_ms=max(each.until_ms for each in spans)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused(Span):
    """A broker's process did not run for `paused_ms` of the span."""

    broker: int
    paused_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedProcess(Span):
    """A broker's process ended in the span: it was last heard of, and then started again.

    `told` says that its log shows that it was told to.
    """

    broker: int
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced(Span):
    """The controller fenced a broker: it had no heartbeats for a session, or the broker asked."""

    broker: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Served(Span):
    """A leader took this long for a follower's fetch.

    `follower` is None if the leader does not say whose fetch it was, `partition` for a fetch of
    many partitions. `site` is where the leader was with it, if it is known. `decided` says that
    the leader itself found it too slow, by its own limit. `held` says that stock Kafka would have
    removed the follower from this partition's ISR: the agent kept it there. `mean_ms` is what
    fetches took on average, if that is all that is known; it counts queues and the network, too.
    """

    leader: int
    follower: int | None = None
    partition: Partition | None = None
    site: str | None = None
    decided: bool = False
    held: bool = False
    mean_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended(Span):
    """An append at a broker hung at a site; `partition` is None if it is not known which.

    `mean_ms` is what appends took on average, if that is all that is known.
    """

    leader: int
    partition: Partition | None = None
    site: str
    mean_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaited(Span):
    """A broker's fetches to a peer were overdue, as the broker saw."""

    broker: int
    peer: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A follower was removed from a partition's ISR; `left` members remained.

    `unseen_ms` is how long before that its last fetch was; None if only the controller's log says
    so, and infinite for a follower that had never fetched; `late_ms` is for how long it had not
    caught up, if the leader's log says so. `fenced` says that the leader did not
    remove it for its lag: the controller did, or it is not known who did.
    """

    at_ms: float
    leader: int
    follower: int
    partition: Partition
    left: int = 0
    unseen_ms: float | None = None
    late_ms: float = 0.0
    fenced: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Unacked(Span):
    """Records of a partition waited for acks one after the other, `mean_ms` on average.

    That is None if there was no ack at all.
    """

    leader: int
    partition: Partition
    mean_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leads(Span):
    """A broker led a partition, with these replicas, of which these were in sync."""

    leader: int
    partition: Partition
    replicas: tuple[int, ...] = ()
    isr: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """A line of a log that says something of these brokers."""

    at_ms: float
    brokers: tuple[int, ...]
    file: str
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """What a metric of a broker was at a time; `broker` is None for one of the whole cluster."""

    kind: str
    broker: int | None
    at_ms: float
    value: float


@dataclass(slots=True, kw_only=True)
class Facts:
    """All that is known of a cluster in a span of time.

    `heard` are the brokers whose agents sent lines; `pauses_known` are those whose pauses and slow
    fetches would be known, `peers_known` those that watch their peers, `appends_known` those that
    time their appends. `lag_ms` is replica.lag.time.max.ms. `clock_moved` are brokers whose wall
    clock jumped: their times are not comparable. `by_time` is whether followers are out of sync by
    time, as in Kafka since 0.9. `unreadable` counts lines that are not as they must be, and
    `unread` says what could not be read at all, `gaps` what else the source cannot tell. `logs` is
    whether the source is brokers' logs. `reports` are the times at which an agent reported its
    pauses; `undated` pauses were at some time between two reports that are far apart. `written` is
    from when until when records of a partition were due, `unacked` the times in which such records
    waited for a lag at least, and `slow_acks` those in which they waited for a second. `lines` are
    those of logs, `notes` what was read and done. `min_isr` is min.insync.replicas by topic, and of
    all others by "".
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
    unread: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)
    logs: bool = False
    controller_known: bool = False
    clients_known: bool = False
    reports: dict[int, list[float]] = field(default_factory=dict)
    paused: list[Paused] = field(default_factory=list)
    undated: list[Paused] = field(default_factory=list)
    ended: list[EndedProcess] = field(default_factory=list)
    fenced: list[Fenced] = field(default_factory=list)
    served: list[Served] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)
    awaited: list[Awaited] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unacked: list[Unacked] = field(default_factory=list)
    slow_acks: list[Unacked] = field(default_factory=list)
    written: dict[Partition, Span] = field(default_factory=dict)
    leads: list[Leads] = field(default_factory=list)
    gauges: list[Gauge] = field(default_factory=list)
    lines: list[LogLine] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    min_isr: dict[str, int] = field(default_factory=dict)

    def least_isr(self, partition: Partition) -> int:
        """Return a partition's min.insync.replicas; 2 if it is not known."""
        return self.min_isr.get(partition.topic, self.min_isr.get("", 2))

    def late(self, dropped: Dropped) -> Span:
        """Return the time in which a follower that was dropped did not catch up: a lag at least."""
        unseen = dropped.unseen_ms or 0.0
        unseen = 0.0 if unseen == float("inf") else unseen
        known = max(unseen, dropped.late_ms, self.lag_ms)
        return Span(since_ms=dropped.at_ms - known, until_ms=dropped.at_ms)
