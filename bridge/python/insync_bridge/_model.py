"""What the bridge answers, typed: field for field bridge/contract/bridge-api.json."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class StepDownCounters:
    """What a broker did about leading too slowly since its start (KIP-501, solution 2).

    `asked` is how often it asked to be relieved of a partition; `done`, `refused` and `failed`
    are what became of it, those under way left out. `withheld` is how often a slow partition
    came to be kept, `withheld_by` the same by reason (docs/understand/step-down.md).
    `slow_score` and `slow_peers` are of the last look, not sums.
    """

    asked: int
    done: int
    refused: int
    failed: int
    withheld: int
    withheld_by: dict[str, int]
    connections_closed: int
    slow_score: float
    slow_peers: int


@dataclass(frozen=True)
class Counters:
    """What the plugin has done in a broker since its start.

    `events_dropped` are missing from the broker's file of events, `events_published` reached the
    topic for them, `events_not_published` are missing there; both are 0 where there is none.
    """

    marks_total: int
    released_total: int
    cleared_total: int
    pending_now: int
    held_now: int
    holds_granted: int
    longest_hold_ms: int
    leader_paused_ms: int
    errors: int
    last_error: str
    events_dropped: int
    events_published: int
    events_not_published: int
    step_downs: StepDownCounters

    @classmethod
    def of(cls, answer: dict[str, Any]) -> Counters:
        """Build from the answer of `counters`."""
        return cls(**{**answer, "step_downs": StepDownCounters(**answer["step_downs"])})


@dataclass(frozen=True)
class OwnReplica:
    """A broker's own replica of a partition; read in this order, so they may rise in between."""

    log_start_offset: int
    high_watermark: int
    leo: int


@dataclass(frozen=True)
class Fetchers:
    """How a broker's fetchers do.

    `threads` are the names of those alive. `failed_partitions` is Kafka's own count of those that
    they gave up, None where it keeps none. `bounded` and `snapshots` are how often the plugin put
    a log start offset right: as a follower, and in the answers of a leader.
    """

    threads: tuple[str, ...]
    failed_partitions: int | None
    bounded: int
    snapshots: int

    @classmethod
    def of(cls, answer: dict[str, Any]) -> Fetchers:
        """Build from the answer of `fetchers`."""
        return cls(**{**answer, "threads": tuple(answer["threads"])})


@dataclass(frozen=True)
class HoldState:
    """What became of a hold: whether a thread waits, or was held, how long, or too long."""

    waiting: bool
    held: bool
    held_ms: int
    expired: bool


@dataclass(frozen=True)
class PendingMark:
    """One pending fetch: the offset asked for, the leader epoch it was made in, its age in ms."""

    offset: int
    leader_epoch: int
    age_ms: int


@dataclass(frozen=True)
class ReplicaState:
    """One replica as its leader sees it; of the leader itself only the first three are known."""

    id: int
    is_leader: bool
    in_isr: bool
    known: bool = True
    leo: int | None = None
    last_caught_up_ms: int | None = None
    lag_ms: int | None = None
    last_fetch_ms: int | None = None
    pending: tuple[PendingMark, ...] = ()

    @classmethod
    def of(cls, answer: dict[str, Any]) -> ReplicaState:
        """Build from one entry of the answer's replicas."""
        marks = tuple(PendingMark(**mark) for mark in answer.get("pending", ()))
        return cls(**{**answer, "pending": marks})


@dataclass(frozen=True)
class PartitionState:
    """A partition as its leader sees it."""

    topic: str
    partition: int
    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    leo: int
    high_watermark: int
    replicas: tuple[ReplicaState, ...]

    @classmethod
    def of(cls, answer: dict[str, Any]) -> PartitionState:
        """Build from the answer of `replicas`."""
        replicas = tuple(ReplicaState.of(one) for one in answer["replicas"])
        return cls(**{**answer, "isr": tuple(answer["isr"]), "replicas": replicas})
