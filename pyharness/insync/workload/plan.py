"""What a workload writes and where: shared by the producers and the consumer."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Final

SEQ_BYTES: Final = 8
LANE_BITS: Final = 40
"""A transactional producer's sequence numbers begin at (its number + 1) << LANE_BITS."""
NEXT_LIFE: Final = 1_000
"""A client that takes another one's place is a producer of its own: its number is so much more."""

VARIES: Final = 0.5
"""By how much of their mean the times between bursts vary, either way."""


@dataclass(frozen=True, slots=True)
class Burst:
    """Records that come together: how many, and every how many seconds on average."""

    records: int
    every: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionPlan:
    """Transactional producers beside the plain ones.

    Args:
        ids: the transactional id of each producer.
        per_second: how many transactions a producer begins in a second, one after the other;
            fewer if they take longer.
        records: of each transaction, on as many partitions as there are.
        abort_percent: how many transactions of a hundred are given up on purpose.

    """

    ids: Sequence[str]
    per_second: int
    records: int
    abort_percent: int


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkloadPlan:
    """One repeat's workload.

    Args:
        partitions: the partitions to write, each at `rate` records per second.
        producers: clients per partition that share its rate. A broker serves one request of a
            connection at a time: with one client, a stalled request hides what others would meet.
        bursts: by partition, how those get their records that do not get them evenly.
        record_bytes: size of a record's value, at least SEQ_BYTES.
        seed: the repeat's own; decides the values' bytes and which transactions are aborted.
        drain_seconds: how long answers are awaited after the last record.
        client_timeout_ms: after how long a producer gives up on a silent broker; None: the
            client library's own, 60 s.
        idempotent: whether brokers drop what is sent twice.
        transactions: what is written in transactions besides, if anything.

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
    idempotent: bool = False
    bursts: Mapping[int, Burst] = field(default_factory=dict)
    transactions: TransactionPlan | None = None


def schedule(plan: WorkloadPlan, partition: int, lane: int) -> Iterator[tuple[int, float]]:
    """Yield what producer `lane` of a partition sends: sequence number, seconds from the start.

    Records take turns among the producers; those of one burst stay with one, so that they can
    go out as one batch.
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
    """Yield when the bursts of a partition come, in seconds; the seed decides, not the producer."""
    source = random.Random(f"bursts/{plan.seed}/{partition}")  # noqa: S311
    after = 0.0
    while True:
        after += every * source.uniform(1 - VARIES, 1 + VARIES)
        yield after


def values(plan: WorkloadPlan, partition: int) -> Iterator[bytes]:
    """Yield the values of one partition without end: sequence number, then random bytes."""
    source = random.Random(f"{plan.seed}/{partition}")  # noqa: S311
    seq = 0
    while True:
        yield value(seq, source, plan.record_bytes)
        seq += 1


def value(seq: int, source: random.Random, size: int) -> bytes:
    """Return one record's value, of `size` bytes."""
    return seq.to_bytes(SEQ_BYTES, "big") + source.randbytes(size - SEQ_BYTES)


def seq_of(value: bytes) -> int:
    """Return the sequence number that a value opens with."""
    return int.from_bytes(value[:SEQ_BYTES], "big")
