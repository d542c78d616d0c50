"""What a workload writes and where: shared by the producers and the consumer."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

SEQ_BYTES: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkloadPlan:
    """One repeat's workload.

    Args:
        partitions: the partitions to write, each at `rate` records per second.
        producers: clients per partition that share its rate. A broker serves one request of a
            connection at a time: with one client, a stalled request hides what others would meet.
        record_bytes: size of a record's value, at least SEQ_BYTES.
        seed: decides the values' bytes, together with repeat and partition.
        drain_seconds: how long answers are awaited after the last record.
        client_timeout_ms: after how long a producer gives up on a silent broker; None: the
            client library's own, 60 s.
        idempotent: whether brokers drop what is sent twice.

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


def values(plan: WorkloadPlan, partition: int) -> Iterator[bytes]:
    """Yield the values of one partition without end: sequence number, then random bytes."""
    source = random.Random(f"{plan.seed}/{plan.repeat}/{partition}")  # noqa: S311
    seq = 0
    while True:
        yield seq.to_bytes(SEQ_BYTES, "big") + source.randbytes(plan.record_bytes - SEQ_BYTES)
        seq += 1


def seq_of(value: bytes) -> int:
    """Return the sequence number that a value opens with."""
    return int.from_bytes(value[:SEQ_BYTES], "big")
