"""The events that every rule of the model receives, and Kafka's own rule without the plugin.

The differential model's reference states each rule over plain milliseconds and knows no code of the
agent. A rule answers one question: with which replica.lag.time.max.ms would a follower be in sync?
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

#: A log end offset that nobody has fetched up to yet: before a follower's first fetch.
UNKNOWN = -1


@dataclass(eq=False)
class Fetch:
    """One fetch of a follower, from its arrival until it is settled or its connection lost."""

    connection: str
    thread: int
    follower: int
    broker_epoch: int
    #: Every partition of the fetch session, with offset and leader epoch (None: it does not say).
    asks: Mapping[int, tuple[int, int | None]]
    #: The partitions that the request itself names; the others are those of its session.
    named: frozenset[int] = frozenset()
    #: It starts a session, or names partitions to forget.
    new_members: bool = False
    #: Which of its partitions the leader has read.
    read: set[int] = field(default_factory=set)


@dataclass
class Counters:
    """Counts the plugin's marks: made, ended with their fetch, ended before."""

    marks_total: int = 0
    released_total: int = 0
    cleared_total: int = 0


class Rule:
    """A rule for one follower of one partition; it is called for each event in order."""

    def elected(self, new_leader: bool, in_sync: bool, leo: int, epoch: int) -> None:
        """The leader is elected, or re-elected, in a new epoch."""

    def resigned(self) -> None:
        """This broker no longer leads the partition, and forgets what it knew of the follower."""

    def passed(self, ms: int, paused_ms: int, stalled_ms: Mapping[int, int]) -> None:
        """Time has passed; through some of it the process, or a network thread, did not live."""

    def arrived(self, fetch: Fetch) -> None:
        """A fetch of this follower has arrived, whether or not it is about this partition."""

    def began(self, fetch: Fetch, offset: int) -> None:
        """The leader begins to serve a fetch that asks for this partition."""

    def read(self, fetch: Fetch, offset: int, leo: int, started_ms: int) -> None:
        """The leader has read this partition for a fetch and has recorded it."""

    def answered(self, fetch: Fetch) -> None:
        """The response to a fetch of this follower is made."""

    def socket_full(self, fetch: Fetch, full: bool) -> None:
        """The follower's socket takes no more of the response, or is offered more of it."""

    def ended(self, fetch: Fetch) -> None:
        """A fetch of this follower is settled, or its connection is lost."""

    def least_lag_ms(self, leo: int) -> int | None:
        """Return the least lag limit that has the follower in sync now; None: no limit has."""
        return None

    def pending(self) -> list[tuple[int, int]]:
        """Return (offset, age in ms) of each fetch that counts as pending."""
        return []


class KafkaRule(Rule):
    """Kafka's own: caught up by a fetch at the leader's end, or at its end at the last fetch."""

    def __init__(self, now_ms: int) -> None:
        self.offset = UNKNOWN
        self.previous_leo = UNKNOWN
        self.previous_ms = 0
        self.caught_up_ms = 0
        self.now_ms = now_ms

    def passed(self, ms: int, paused_ms: int, stalled_ms: Mapping[int, int]) -> None:
        self.now_ms += ms

    def resigned(self) -> None:
        self.offset = UNKNOWN

    def elected(self, new_leader: bool, in_sync: bool, leo: int, epoch: int) -> None:
        self.caught_up_ms = self.now_ms if in_sync else 0
        self.previous_leo = UNKNOWN if new_leader else leo
        self.previous_ms = 0 if new_leader else self.caught_up_ms

    def read(self, fetch: Fetch, offset: int, leo: int, started_ms: int) -> None:
        if offset >= leo:
            self.caught_up_ms = max(self.caught_up_ms, started_ms)
        elif offset >= self.previous_leo:
            self.caught_up_ms = max(self.caught_up_ms, self.previous_ms)
        self.offset, self.previous_leo, self.previous_ms = offset, leo, started_ms

    def least_lag_ms(self, leo: int) -> int | None:
        if self.offset == leo:
            return 0
        return self.now_ms - self.caught_up_ms if self.caught_up_ms else None
