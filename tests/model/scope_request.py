"""Scope "request" of the reference: which time is charged to the follower."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from model.kafka_rule import UNKNOWN, Fetch, Rule

#: What is not charged is forgiven up to this many times the lag limit.
FORGIVEN_LAGS = 10


@dataclass(frozen=True)
class Stretch:
    """Time since something: how much of it is charged to the follower, and how much is forgiven."""

    charged_ms: int = 0
    forgiven_ms: int = 0

    def least_lag_ms(self) -> int:
        """Return the least L with charged + max(0, forgiven - FORGIVEN_LAGS * L) <= L."""
        bounded = -(-(self.charged_ms + self.forgiven_ms) // (FORGIVEN_LAGS + 1))
        return max(self.charged_ms, bounded)

    def __add__(self, other: Stretch) -> Stretch:
        return Stretch(self.charged_ms + other.charged_ms, self.forgiven_ms + other.forgiven_ms)

    def forgive(self, ms: int) -> Stretch:
        """Return the same time with some of what was charged forgiven, if so much was."""
        moved = min(self.charged_ms, ms)
        return Stretch(self.charged_ms - moved, self.forgiven_ms + moved)


@dataclass(eq=False)
class InHand:
    """A fetch that the leader processes, and what the follower was charged since it arrived."""

    fetch: Fetch
    #: The session whose members the request knows without naming them, and the one it starts.
    sessions: tuple[object, ...]
    charged_ms: int = 0
    since_ms: int = 0
    age_ms: int = 0
    socket_full: bool = False
    socket_was_full: bool = False


@dataclass(eq=False)
class Connection:
    """What one connection's requests are about: a session, until a request starts another."""

    thread: int
    session: object = field(default_factory=object)
    in_hand: InHand | None = None


class RequestRule(Rule):
    """Kafka's caught-up rule over charged time: a follower pays for all but what is the leader's.

    A partition is of the session in which it was last read since the election. The leader's is:
    - time in which the leader processes a fetch of the session, from its arrival until it is
      settled or its connection lost, but not while the follower's socket is full. A request that
      starts a session, or forgets members of one, is of the session before, too: whoever is
      forgotten pays from the end of that request;
    - time since a fetch arrived that names the partition, in this leader epoch and by no older
      incarnation of the follower: permanently once the partition is read for it, and until then as
      long as it is in hand and its answer has met no full socket;
    - time through which the network thread of the session's connection did not live;
    - time through which the leader's process did not live.
    All of it is forgiven up to FORGIVEN_LAGS lags since the follower was caught up.

    A fetch catches up as of its arrival, or as of the arrival of the one before, unless its
    connection is lost before it is read. Being elected is a catching up for members of the ISR.
    """

    def __init__(self, partition: int) -> None:
        self.partition = partition
        self.connections: dict[str, Connection] = {}
        self.previous_leo = UNKNOWN
        self.offset = UNKNOWN
        self.broker_epoch = -1
        self.epoch = -1
        self.session: object | None = None
        self.thread: int | None = None
        #: Since the follower was caught up, and since the arrival of its last fetch; None: never.
        self.caught_up: Stretch | None = None
        self.previous: Stretch | None = None

    def resigned(self) -> None:
        self.previous_leo = self.offset = UNKNOWN
        self.broker_epoch = -1
        self.session = self.thread = self.caught_up = self.previous = None

    def elected(self, new_leader: bool, in_sync: bool, leo: int, epoch: int) -> None:
        self.epoch = epoch
        if self.previous_leo != UNKNOWN:
            self.previous_leo = UNKNOWN if new_leader else leo
        self.session = self.thread = None
        self.caught_up = self.previous = Stretch() if in_sync else None

    def arrived(self, fetch: Fetch) -> None:
        link = self.connections.setdefault(fetch.connection, Connection(fetch.thread))
        known = link.session
        if fetch.new_members:
            link.session = object()
        link.in_hand = InHand(fetch, (known, link.session))

    def passed(self, ms: int, paused_ms: int, stalled_ms: Mapping[int, int]) -> None:
        lived = ms - paused_ms - (0 if self.thread is None else stalled_ms[self.thread])
        if any(not one.socket_full for one in self._in_hand() if self.session in one.sessions):
            lived = 0
        step = Stretch(lived, ms - lived)
        if self.caught_up is not None:
            self.caught_up += step
        if self.previous is not None:
            self.previous += step
        for one in self._in_hand():
            one.charged_ms += lived
            one.since_ms += ms
            one.age_ms += 0 if one.socket_full else ms

    def read(self, fetch: Fetch, offset: int, leo: int, started_ms: int) -> None:
        link = self.connections[fetch.connection]
        if link.in_hand:
            self._refund(link.in_hand.charged_ms)
            arrival = Stretch(0, link.in_hand.since_ms)
            if offset >= leo:
                self.caught_up = arrival
            elif self.previous_leo != UNKNOWN and offset >= self.previous_leo:
                self.caught_up = self.previous
            self.previous = arrival
            self.offset, self.broker_epoch = offset, fetch.broker_epoch
            self.session, self.thread = link.session, link.thread
        self.previous_leo = leo

    def _refund(self, ms: int) -> None:
        if self.caught_up is not None:
            self.caught_up = self.caught_up.forgive(ms)
        if self.previous is not None:
            self.previous = self.previous.forgive(ms)
        for one in self._in_hand():
            one.charged_ms = max(0, one.charged_ms - ms)

    def socket_full(self, fetch: Fetch, full: bool) -> None:
        in_hand = self.connections[fetch.connection].in_hand
        if in_hand:
            in_hand.socket_full = full
            in_hand.socket_was_full |= full

    def ended(self, fetch: Fetch) -> None:
        self.connections[fetch.connection].in_hand = None

    def least_lag_ms(self, leo: int) -> int | None:
        if self.caught_up is None:
            return None
        named = [one.charged_ms for one in self._in_hand() if self._is_named(one)]
        return min(self.caught_up.forgive(ms).least_lag_ms() for ms in [0, *named])

    def pending(self) -> list[tuple[int, int]]:
        return [
            (self._offset_of(one), one.age_ms)
            for one in self._in_hand()
            if self.session in one.sessions or self._is_named(one)
        ]

    def _in_hand(self) -> list[InHand]:
        return [link.in_hand for link in self.connections.values() if link.in_hand]

    def _is_named(self, one: InHand) -> bool:
        fetch = one.fetch
        if self.partition not in fetch.named or fetch.broker_epoch < self.broker_epoch:
            return False
        return not one.socket_was_full and fetch.asks[self.partition][1] in (None, self.epoch)

    def _offset_of(self, one: InHand) -> int:
        return one.fetch.asks[self.partition][0] if self._is_named(one) else self.offset
