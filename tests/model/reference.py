"""The reference: a leader of two partitions with two followers, in milliseconds and plain rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from model.kafka_rule import Counters, Fetch, KafkaRule, Rule
from model.scope_read import ReadRule
from model.scope_request import RequestRule

PARTITIONS = (0, 1)
FOLLOWERS = (2, 3)
THREADS = (0, 1)
#: A gap in the leader's ticks, or a call on a network thread, is a pause in what exceeds this.
GRACE_MS = 60


@dataclass
class Partition:
    """One partition; not led means that another broker leads it."""

    leo: int = 0
    epoch: int = 0
    led: bool = True


@dataclass
class Follower:
    """A follower of one partition, in sync by Kafka's rule or by the plugin's."""

    kafka: KafkaRule
    plugin: Rule

    def both(self) -> tuple[Rule, Rule]:
        return self.kafka, self.plugin


@dataclass
class Leader:
    """The leader; the machine tells it each operation, and which partitions Kafka read in it."""

    scope: str
    now_ms: int = 1_000_000
    counters: Counters = field(default_factory=Counters)
    broker_epochs: dict[int, int] = field(default_factory=lambda: dict.fromkeys(FOLLOWERS, 1))
    partitions: dict[int, Partition] = field(
        default_factory=lambda: {number: Partition() for number in PARTITIONS}
    )
    followers: dict[tuple[int, int], Follower] = field(default_factory=dict)
    #: How long each network thread has been in the call that it is in, or None.
    in_call_ms: dict[int, int | None] = field(default_factory=lambda: dict.fromkeys(THREADS))
    #: Connections whose fetch the leader processes.
    in_hand: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for partition in PARTITIONS:
            for follower in FOLLOWERS:
                made = Follower(KafkaRule(self.now_ms), self._rule(partition))
                self.followers[partition, follower] = made
            self._tell_election(partition, True, FOLLOWERS)

    def _rule(self, partition: int) -> Rule:
        if self.scope == "off":
            return Rule()
        if self.scope == "request":
            return RequestRule(partition)
        return ReadRule(self.counters, ends_when_lost=self.scope != "patch")

    def _rules_of(self, follower: int) -> Iterator[Rule]:
        for (_, one), rules in self.followers.items():
            if one == follower:
                yield from rules.both()

    def append(self, partition: int, records: int) -> None:
        self.partitions[partition].leo += records

    def elect(self, partition: int, in_sync: Iterable[int]) -> None:
        """This broker becomes leader, or leads on, in the next epoch."""
        known = self.partitions[partition]
        new_leader = not known.led
        known.led, known.epoch = True, known.epoch + 1
        self._tell_election(partition, new_leader, in_sync)

    def _tell_election(self, partition: int, new_leader: bool, in_sync: Iterable[int]) -> None:
        known, members = self.partitions[partition], set(in_sync)
        for follower in FOLLOWERS:
            for rule in self.followers[partition, follower].both():
                rule.elected(new_leader, follower in members, known.leo, known.epoch)

    def resign(self, partition: int) -> None:
        """Another broker leads; this one forgets what it knew of the followers."""
        self.partitions[partition].led = False
        self.partitions[partition].epoch += 1
        for follower in FOLLOWERS:
            for rule in self.followers[partition, follower].both():
                rule.resigned()

    def restart(self, follower: int) -> None:
        self.broker_epochs[follower] += 1

    def arrive(self, fetch: Fetch) -> None:
        self.in_hand.add(fetch.connection)
        if self.scope == "request":
            self.counters.marks_total += 1
        for rule in self._rules_of(fetch.follower):
            rule.arrived(fetch)

    def serve(self, fetch: Fetch) -> None:
        """A handler begins to serve a fetch: before any of it is read."""
        for partition, (offset, epoch) in fetch.asks.items():
            known = self.partitions[partition]
            if known.led and epoch in (None, known.epoch):
                for rule in self.followers[partition, fetch.follower].both():
                    rule.began(fetch, offset)

    def read(self, fetch: Fetch, partition: int, started_ms: int) -> None:
        """A partition was read for a fetch; one of an older incarnation is then refused."""
        if fetch.broker_epoch < self.broker_epochs[fetch.follower]:
            return
        offset, leo = fetch.asks[partition][0], self.partitions[partition].leo
        for rule in self.followers[partition, fetch.follower].both():
            rule.read(fetch, offset, leo, started_ms)

    def answered(self, fetch: Fetch) -> None:
        for rule in self._rules_of(fetch.follower):
            rule.answered(fetch)

    def socket_full(self, fetch: Fetch, full: bool) -> None:
        """The socket takes no more of a response, or is offered more of it."""
        for rule in self._rules_of(fetch.follower):
            rule.socket_full(fetch, full)

    def enter_call(self, thread: int) -> None:
        self.in_call_ms[thread] = 0

    def leave_call(self, thread: int) -> None:
        self.in_call_ms[thread] = None

    def settle(self, fetch: Fetch) -> None:
        """A response is sent, or given up; nothing if its connection was lost before."""
        self._end(fetch, "released_total")

    def disconnect(self, fetch: Fetch) -> None:
        """A connection is lost, with the fetch that was on it."""
        self._end(fetch, "cleared_total")

    def _end(self, fetch: Fetch, counter: str) -> None:
        if fetch.connection not in self.in_hand:
            return
        self.in_hand.remove(fetch.connection)
        if self.scope == "request":
            setattr(self.counters, counter, getattr(self.counters, counter) + 1)
        for rule in self._rules_of(fetch.follower):
            rule.ended(fetch)

    def pass_time(self, ms: int, *, frozen: bool = False) -> None:
        """Time passes; a frozen process lives through the grace after its last tick only."""
        lived = min(ms, GRACE_MS) if frozen else ms
        stalled = {thread: self._stalled_ms(thread, lived) for thread in THREADS}
        self.now_ms += ms
        for rules in self.followers.values():
            for rule in rules.both():
                rule.passed(ms, ms - lived, stalled)

    def _stalled_ms(self, thread: int, lived_ms: int) -> int:
        """Return for how much of the time a network thread did not live, which is in a call."""
        before = self.in_call_ms[thread]
        if before is None:
            return 0
        after = self.in_call_ms[thread] = before + lived_ms
        return max(0, after - GRACE_MS) - max(0, before - GRACE_MS)

    def least_lag_ms(self, partition: int, follower: int) -> int | None:
        """Return the least lag limit that has the follower in sync now; None: no limit has."""
        leo, rules = self.partitions[partition].leo, self.followers[partition, follower].both()
        lags = [rule.least_lag_ms(leo) for rule in rules]
        return min((lag for lag in lags if lag is not None), default=None)

    def pending(self, partition: int, follower: int) -> list[tuple[int, int]]:
        """Return (offset, age in ms) of the follower's fetches that count as pending."""
        return self.followers[partition, follower].plugin.pending()
