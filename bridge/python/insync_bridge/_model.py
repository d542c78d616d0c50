"""Define types for the bridge's answers; fields are those of bridge/contract/bridge-api.json.

A later agent may answer more: fields that are not known here are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class StepDownCounters:
    """A broker's step-downs as a slow leader since its start (KIP-501, solution 2).

    `asked` counts its requests to transfer the leadership of a partition; `done`, `refused` and
    `failed` count their outcomes, without those in flight. `withheld` counts the times at which it
    kept a slow partition instead, `withheld_by` the same by reason
    (docs/understand/step-down.md). `slow` and `slow_peers` are the latest values, not sums.
    """

    asked: int
    done: int
    refused: int
    failed: int
    withheld: int
    withheld_by: dict[str, int]
    connections_closed: int
    slow: bool
    slow_peers: int


@dataclass(frozen=True)
class Counters:
    """The plugin's counters in a broker since its start.

    `events_dropped` events are missing in the broker's event file. `events_published` reached the
    event topic and `events_not_published` are missing there; both are 0 without such a topic.
    `bridge_refused` connections to the bridge exceeded a bound.
    """

    marks_total: int
    released_total: int
    cleared_total: int
    outlived_total: int
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
    bridge_refused: int
    step_downs: StepDownCounters

    @classmethod
    def of(cls, answer: dict[str, Any]) -> Counters:
        """Build from the answer of `counters`."""
        return cls(**{**answer, "step_downs": StepDownCounters(**answer["step_downs"])})


@dataclass(frozen=True)
class OwnReplica:
    """A broker's replica of a partition; offsets are read in this order and may rise meanwhile."""

    log_start_offset: int
    high_watermark: int
    leo: int


@dataclass(frozen=True)
class Fetchers:
    """The state of a broker's fetchers.

    `threads` are the names of live fetcher threads. `failed_partitions` is Kafka's count of
    partitions that they marked as failed, None if the version does not count them. `bounded` and
    `snapshots` are how often the plugin corrected a log start offset: as a follower, and in a
    leader's responses.
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
    """The state of a pause point: whether a thread waits or was stopped, how long, or too long."""

    waiting: bool
    held: bool
    held_ms: int
    expired: bool


@dataclass(frozen=True)
class PendingMark:
    """One pending fetch: its fetch offset, its leader epoch, its age in ms."""

    offset: int
    leader_epoch: int
    age_ms: int


@dataclass(frozen=True)
class ReplicaState:
    """One replica as its leader sees it; for the leader itself only three fields are known.

    The leader keeps five items of a follower: `log_start_offset`, `leo`, `last_fetch_leader_leo`
    (its own log end offset at the follower's last fetch), `last_fetch_ms` and `last_caught_up_ms`.
    Without any fetch they are Kafka's initial values, -1 or 0.
    """

    id: int
    is_leader: bool
    in_isr: bool
    known: bool = True
    log_start_offset: int | None = None
    leo: int | None = None
    last_fetch_leader_leo: int | None = None
    last_fetch_ms: int | None = None
    last_caught_up_ms: int | None = None
    lag_ms: int | None = None
    pending: tuple[PendingMark, ...] = ()

    @classmethod
    def of(cls, answer: dict[str, Any]) -> ReplicaState:
        """Build from one entry of the answer's replicas."""
        marks = tuple(
            PendingMark(**_known(PendingMark, mark)) for mark in answer.get("pending", ())
        )
        return cls(**{**_known(cls, answer), "pending": marks})


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
        return cls(**{**_known(cls, answer), "isr": tuple(answer["isr"]), "replicas": replicas})


def _known(cls: type, answer: dict[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(cls)}
    return {name: value for name, value in answer.items() if name in names}
