"""Define what a workload writes, where and when; producers and consumer share it."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Final

from insync.workload.value import value

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
            connection at a time: with only one client, a stalled request would delay the next
            ones in the client and hide how the broker treats them.
        bursts: the bursts of partitions that get their records in bursts.
        record_bytes: size of a record's value; insync.workload.value has its layout.
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
    """Yield an endless sequence of values for a partition; their filler depends on the seed."""
    source = random.Random(f"{plan.seed}/{partition}")  # noqa: S311
    for seq in count():
        yield value(plan.topic, partition, seq, source, plan.record_bytes)
