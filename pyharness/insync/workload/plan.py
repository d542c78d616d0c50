"""Define what a workload writes, where and when; producers and consumer share it."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Final

from insync.clients import DEFAULT_CLIENT, Acks, Client, Compression, Library, Protocol, library_of
from insync.skew import PartitionKeys, key_bytes, own_key, shares
from insync.workload.value import value

LANE_BITS: Final = 40
"""A transactional producer's sequence numbers begin at (its number + 1) << LANE_BITS."""
NEXT_LIFE: Final = 1_000
"""A client that replaces another one counts as a new producer: its number is higher by this."""

TRANSACTION_TIMEOUT_MS: Final = 60_000
"""After this the coordinator aborts a transaction; longer than any stall, so that it does not."""
HEARTBEATS: Final = 10
"""How many heartbeats a member of a group sends in a session."""
VARIES: Final = 0.5
"""How much the times between bursts vary, up or down, as a fraction of their mean."""


def rack_of(broker: int) -> str:
    """Return the name of a broker's rack, of which each has its own."""
    return f"rack-{broker}"


@dataclass(frozen=True, slots=True)
class Burst:
    """Records that are sent together: how many, and every how many seconds on average."""

    records: int
    every: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionPlan:
    """Transactional producers beside the plain ones: an id for each, the rest as in the scenario.

    After `until` seconds a producer begins no other transaction.
    """

    ids: Sequence[str]
    per_second: int
    records: int
    abort_percent: int
    reads: int = 0
    until: float | None = None
    timeout_ms: int = TRANSACTION_TIMEOUT_MS


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupPlan:
    """A consumer group of the topic, as in the scenario; `every` is in seconds.

    The session is that of members with the classic protocol, ten times their heartbeat; None:
    Kafka's default. With the other protocol it is the brokers' setting.
    """

    number: int
    id: str
    protocol: Protocol
    members: int
    commit_every: float
    rejoin_every: float | None = None
    session_ms: int | None = None

    @property
    def settings(self) -> dict[str, str | int]:
        """The settings of its members, which have the same names in all of Kafka's clients."""
        if self.protocol == "consumer":
            return {"group.id": self.id, "group.protocol": self.protocol}
        if self.session_ms is None:
            return {"group.id": self.id}
        return {
            "group.id": self.id,
            "session.timeout.ms": self.session_ms,
            "heartbeat.interval.ms": max(1, self.session_ms // HEARTBEATS),
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """How producers send, for librdkafka and for Kafka's own client alike: as in the scenario."""

    acks: Acks = "all"
    compression: Compression = "none"
    linger_ms: int | None = None
    batch_bytes: int | None = None
    keys: int = 0
    key_skew: float = 0.0
    key_countdown: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkloadPlan:
    """One repeat's workload: as in the scenario, where it does not say otherwise here.

    `rate` is of records per second of a partition on average, which its `producers` share. A broker
    serves one request of a connection at a time: with only one client, a stalled request would
    delay the next ones in the client and hide how the broker treats them. The seed decides the
    values' bytes and which transactions are aborted. `drain_seconds` is how long to wait for
    answers after the last record. `begins_again`: a consumer whose position is behind the end of
    the log, as after an unclean election, reads on; otherwise it reads no further, which is a
    finding.
    """

    bootstrap: str
    arm: str
    repeat: int
    topic: str
    partitions: Sequence[int]
    rate: int
    producers: int
    record_bytes: int
    seed: int
    drain_seconds: float
    client_timeout_ms: int | None = None
    retries: bool = True
    idempotent: bool = False
    bursts: Mapping[int, Burst] = field(default_factory=dict)
    transactions: TransactionPlan | None = None
    client: Client = DEFAULT_CLIENT
    load: Load = field(default_factory=Load)
    groups: Sequence[GroupPlan] = ()
    begins_again: bool = False
    read_from: int | None = None
    fetch_wait_ms: int | None = None

    @property
    def empty_fetch_ms(self) -> int:
        """How long a broker may keep a fetch that finds no records."""
        return self.fetch_wait_ms or 100

    @property
    def rack(self) -> dict[str, str]:
        """The setting of consumers that puts them into a broker's rack."""
        return {} if self.read_from is None else {"client.rack": rack_of(self.read_from)}

    def lanes(self, library: Library, partition: int) -> list[int]:
        """Return the producers of a partition that use a library."""
        lanes = range(self.producers)
        return [lane for lane in lanes if library_of(self.client, partition + lane) == library]

    def transactional(self, library: Library) -> list[int]:
        """Return the transactional producers that use a library."""
        count = 0 if self.transactions is None else len(self.transactions.ids)
        return [number for number in range(count) if library_of(self.client, number) == library]

    def transactional_ids(self, library: Library) -> list[str]:
        """Return the ids of these producers."""
        ids = () if self.transactions is None else self.transactions.ids
        return [ids[number] for number in self.transactional(library)]

    def members(self, library: Library, group: GroupPlan) -> list[int]:
        """Return the members of a group that use a library."""
        slots = range(group.members)
        return [slot for slot in slots if library_of(self.client, slot) == library]

    def rate_of(self, partition: int) -> float:
        """Return the records per second of a partition without bursts."""
        if not self.load.keys:
            return self.rate
        count = len(self.partitions)
        return self.rate * count * shares(self.load.keys, self.load.key_skew, count)[partition]

    def keys_of(self, partition: int, lane: int) -> PartitionKeys | None:
        """Return what chooses the keys of a producer's records; None if they have none."""
        if not self.load.keys:
            return None
        source = random.Random(f"keys/{self.seed}/{partition}/{lane}")  # noqa: S311
        own = self.load
        return PartitionKeys(partition, own.keys, own.key_skew, len(self.partitions), source)

    def key_of(self, seq: int, keys: PartitionKeys | None = None) -> bytes | None:
        """Return the key of a record, of its own or the next of `keys`."""
        if self.load.key_countdown:
            return own_key(self.load.key_countdown, seq)
        return None if keys is None else key_bytes(keys.next())


def schedule(plan: WorkloadPlan, partition: int, lane: int) -> Iterator[tuple[int, float]]:
    """Yield each record of a partition's producer `lane`: sequence number, seconds from the start.

    The producers send records in turn; one producer sends all records of a burst, so that they
    can be one batch.
    """
    burst = plan.bursts.get(partition)
    if burst is None:
        rate = plan.rate_of(partition)
        for seq in count(lane, plan.producers):
            yield seq, seq / rate
    else:
        times = enumerate(burst_times(plan, partition, burst.every))
        for number, after in islice(times, lane, None, plan.producers):
            for seq in range(number * burst.records, (number + 1) * burst.records):
                yield seq, after


def burst_times(plan: WorkloadPlan, partition: int, every: float) -> Iterator[float]:
    """Yield the times of a partition's bursts, in seconds; they depend on the seed only."""
    source = random.Random(f"bursts/{plan.seed}/{partition}")  # noqa: S311
    after = 0.0
    while True:
        after += every * source.uniform(1 - VARIES, 1 + VARIES)
        yield after


def values(plan: WorkloadPlan, partition: int) -> Iterator[bytes]:
    """Yield an endless sequence of values for a partition; their filler depends on the seed."""
    source = random.Random(f"{plan.seed}/{partition}")  # noqa: S311
    for seq in count():
        yield value(plan.topic, partition, seq, source, plan.record_bytes)
