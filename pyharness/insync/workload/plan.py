"""Define what a workload writes, where and when; producers and consumer share it."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Final

SEQ_BYTES: Final = 8
LANE_BITS: Final = 40
"""A transactional producer's sequence numbers begin at (its number + 1) << LANE_BITS."""
NEXT_LIFE: Final = 1_000
"""A client that replaces another one counts as a new producer: its number is higher by this."""

VARIES: Final = 0.5
"""How much the times between bursts vary, up or down, as a fraction of their mean."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Records that are sent together: how many, and every how many seconds on average."""

    records: int
    every: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionPlan:
    """Transactional producers in addition to the plain ones.

    Args:
        ids: the transactional id of each producer.
        per_second: how many transactions a producer begins per second, one after the other;
            fewer if they take longer.
        records: records of each transaction, each on another partition.
        abort_percent: percentage of transactions that are aborted on purpose.
        reads: records that a transaction reads at most before it writes; 0: it only writes.

    """

    ids: Sequence[str]
    per_second: int
    records: int
    abort_percent: int
    reads: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkloadPlan:
    """One repeat's workload.

    Args:
        partitions: the partitions to write, each at `rate` records per second.
        producers: clients per partition that share its rate. A broker serves one request of a
            connection at a time: with only one client, a stalled request would delay the next
            ones in the client and hide how the broker treats them.
        bursts: the bursts of partitions that get their records in bursts.
        record_bytes: size of a record's value, at least SEQ_BYTES.
        seed: the repeat's seed; decides the values' bytes and which transactions are aborted.
        drain_seconds: how long to wait for answers after the last record.
        client_timeout_ms: after how long a producer drops the connection to a broker that does
            not answer; None: the client library's default, 60 s.
        retries: whether a producer sends a record again that its broker refused.
        idempotent: whether the producers are idempotent.
        transactions: the transactional producers, if any.

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


def schedule(plan: WorkloadPlan, partition: int, lane: int) -> Iterator[tuple[int, float]]:
    """Yield each record of a partition's producer `lane`: sequence number, seconds from the start.

    The producers send records in turn; one producer sends all records of a burst, so that they
    can be one batch.
    """
    burst = plan.bursts.get(partition)
    if burst is None:
        for seq in count(lane, plan.producers):
            yield seq, seq / plan.rate
    else:
        times = enumerate(_burst_times(plan, partition, burst.every))
        for number, after in islice(times, lane, None, plan.producers):
            for seq in range(number * burst.records, (number + 1) * burst.records):
                yield seq, after


def _burst_times(plan: WorkloadPlan, partition: int, every: float) -> Iterator[float]:
    """Yield the times of a partition's bursts, in seconds; they depend on the seed only."""
    source = random.Random(f"bursts/{plan.seed}/{partition}")  # noqa: S311
    after = 0.0
    while True:
        after += every * source.uniform(1 - VARIES, 1 + VARIES)
        yield after


def values(plan: WorkloadPlan, partition: int) -> Iterator[bytes]:
    """Yield an endless sequence of values for a partition: sequence number, then random bytes."""
    source = random.Random(f"{plan.seed}/{partition}")  # noqa: S311
    seq = 0
    while True:
        yield value(seq, source, plan.record_bytes)
        seq += 1


def value(seq: int, source: random.Random, size: int) -> bytes:
    """Return one record's value, of `size` bytes."""
    return seq.to_bytes(SEQ_BYTES, "big") + source.randbytes(size - SEQ_BYTES)


def seq_of(value: bytes) -> int:
    """Return the sequence number at the beginning of a value."""
    return int.from_bytes(value[:SEQ_BYTES], "big")
