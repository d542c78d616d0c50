"""Define the event files of a run: their names, and the fields of their lines.

A line is one JSON object with the schema version `v` and then the fields of one class below, in
that order. Fields ending in `_ms` that name a moment are milliseconds since the epoch on the
host's wall clock; durations are measured with a monotonic clock. `None` becomes JSON `null`.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from insync.clients import Library, Protocol

SCHEMA_VERSION: Final = 1

RUN: Final = "run.json"
SCENARIO: Final = "scenario.toml"
VERDICT: Final = "verdict.json"
REPORT: Final = "report.html"
JUNIT: Final = "junit.xml"
EVENTS: Final = "events"
CAMPAIGN: Final = "campaign.json"
"""What a campaign was asked, in its folder; its runs and matrices are further below."""

PHASES: Final = "phases.jsonl"
FAULTS: Final = "faults.jsonl"
ISR: Final = "isr.jsonl"
COUNTERS: Final = "counters.jsonl"
SAMPLES: Final = "samples.jsonl"
ROLES: Final = "roles.jsonl"
READ_BACK: Final = "read-back.jsonl"
REPLICA_LOGS: Final = "replica-logs.jsonl"
CONTROLLER: Final = "controller.jsonl"
CLOCKS: Final = "clocks.jsonl"
STEP_DOWNS: Final = "step-downs.jsonl"
LIVENESS: Final = "liveness.jsonl"

OfRepeat = Literal[
    "produce", "consume", "transactions", "transaction-reads", "group", "batches"
]  # fmt: skip
"""Kinds of lines of which each repeat has a file."""

StepDownType = Literal["read", "asked", "answered", "withheld"]
TransactionEnd = Literal["committed", "aborted", "unknown"]
PhaseType = Literal["cluster_ready", "repeat_started", "steady", "repeat_ended", "aborted"]

LivenessType = Literal[
    "isr_not_recovered", "unplanned_exit", "not_stopped", "not_back", "hanging",
    "read_back_unfinished",
]  # fmt: skip


Moment = Literal["before", "during", "after"]


def now_ms() -> float:
    """Return this moment as milliseconds since the epoch."""
    return time.time() * 1000


def repeat_file(of: OfRepeat, repeat: int) -> str:
    """Return the name of the file of such lines of one repeat."""
    return f"{of}-{repeat}.jsonl"


def is_agents_own(file: str) -> bool:
    """Whether an agent writes this event file; a killed node may leave an incomplete line in it."""
    return re.search(r"(^|/)broker-\d+\.jsonl$", file) is not None


def events_dir(run: Path, arm: str) -> Path:
    """Return the folder of an arm's event files."""
    return run / EVENTS / arm


def nodes_dir(run: Path, arm: str) -> Path:
    """Return the folder of an arm's nodes: properties, logs, data."""
    return run / "nodes" / arm


def topic_name(scenario: str, repeat: int) -> str:
    """Return the topic of one repeat."""
    return f"{scenario}-r{repeat}"


@dataclass(frozen=True, kw_only=True, slots=True)
class EventLine:
    """The first field of all lines."""

    v: int = field(default=SCHEMA_VERSION, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseLine(EventLine):
    """The beginning of a phase of a run; `repeat` is -1 outside of repeats.

    "repeat_started" has the repeat's seed, and "repeat_ended" the longest time for which the
    harness itself was not scheduled.
    """

    type: PhaseType
    t_ms: float
    arm: str
    repeat: int = -1
    topic: str | None = None
    note: str = ""
    longest_gap_ms: float | None = None
    seed: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LivenessLine(EventLine):
    """The cluster under test did not do what it must in time, and the repeat went on without it.

    `node` is the node that ended although no fault of the scenario ended it; None for the other
    types. `note` says what was waited for, and the last state seen.
    """

    type: LivenessType
    t_ms: float
    arm: str
    repeat: int
    node: int | None
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultLine(EventLine):
    """A fault and its evidence.

    `calls_held` counts the system calls that the fault delayed, `held_ms` is their total delay and
    `longest_held_ms` the longest one. `acted_ms` is how long the fault provably acted, and
    `figures` are other evidence, depending on the kind of fault. `site` and `mode` are empty if the
    kind has none.
    """

    arm: str
    repeat: int
    fault: str
    site: str
    mode: str
    broker: int
    target: Sequence[str]
    injected_ms: float
    lifted_ms: float
    calls_held: int
    held_ms: float
    longest_held_ms: float
    planned_ms: int
    acted_ms: float | None = None
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProduceLine(EventLine):
    """One record that a producer had to send.

    `sent_ms` is when it was due, and `latency_ms` counts from then. `done_ms` and `latency_ms` are
    None if it was never answered. `offset` is None if it was not acked, or if the broker answered
    only that it already has the record. `producer` sent it: each producer sends its records of
    one partition in the order of `seq`. `transaction` is the number of its transaction, None
    outside of transactions. `client` is the producer's library.
    """

    arm: str
    repeat: int
    topic: str
    partition: int
    seq: int
    sent_ms: float
    done_ms: float | None = None
    latency_ms: float | None = None
    error: str | None = None
    offset: int | None = None
    producer: int
    idempotent: bool = False
    transaction: int | None = None
    client: Library | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionLine(EventLine):
    """One transaction, written when it has ended; `transaction` is its number in the repeat.

    `asked_ms` is when its producer requested the commit or abort (`wanted`), and `took_ms` how
    long the answer took; both are None if the producer never got that far. `end` is "unknown" if
    there was no answer, or none that shows the outcome. `client` as in `ProduceLine`.
    """

    arm: str
    repeat: int
    topic: str
    producer: int
    transaction: int
    records: int
    begun_ms: float
    asked_ms: float | None
    ended_ms: float
    took_ms: float | None
    wanted: Literal["commit", "abort"]
    end: TransactionEnd
    error: str | None
    client: Library | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionReadLine(EventLine):
    """One read of a record in a transaction, before it writes; written at once.

    `producer` and `transaction` are those of the `TransactionLine`. `nth` counts the records that
    the producer read in the repeat, over all partitions, from 0. After a transaction that was not
    committed it reads the same records again.
    """

    arm: str
    repeat: int
    topic: str
    producer: int
    transaction: int
    partition: int
    offset: int
    seq: int
    read_ms: float
    nth: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsumeLine(EventLine):
    """One read of a record; a record that is read twice has two lines.

    `nth` counts the records that this `consumer` read in the repeat, over all partitions, from 0.
    A `fresh` consumer is one that began at offset 0 when the repeat was over; its numbers are
    independent of those of the others. `corrupt` is what is wrong with the record's value, None if
    it is intact; a corrupt record has no sequence number (`seq` is -1). `client` is the consumer's
    library.
    """

    arm: str
    repeat: int
    topic: str
    partition: int
    offset: int
    seq: int
    read_ms: float
    nth: int
    consumer: int = 0
    fresh: bool = False
    corrupt: str | None = None
    client: Library | None = None


GroupEvent = Literal["assigned", "revoked", "lost", "read", "lag", "committed", "stored"]


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupLine(EventLine):
    """What happened to a member of a consumer group, to one partition.

    `group` is the number of the group in the scenario. `type` says what happened: the member got
    the partition ("assigned"), gave it back ("revoked") or had lost it before it could ("lost"); it
    processed the record at `offset` ("read"); it was `lag` records behind, at `offset` ("lag"); the
    coordinator accepted its commit of `offset`, the next one to process ("committed"). "stored" is
    what the coordinator has at the end of the repeat, of no `member`.
    """

    arm: str
    repeat: int
    topic: str
    t_ms: float
    group: int
    protocol: Protocol
    member: int | None
    type: GroupEvent
    partition: int
    offset: int | None = None
    lag: int | None = None
    client: Library | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadBackLine(EventLine):
    """How far a consumer has read a partition when it ended, after the repeat.

    `position` is the next offset that it would read, and `end_offset` the partition's end offset.
    The consumer has read everything if its position is not below the end; if it is above the end,
    the log has lost records that the consumer read.
    """

    arm: str
    repeat: int
    topic: str
    t_ms: float
    partition: int
    consumer: int
    fresh: bool
    position: int
    end_offset: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CountersLine(EventLine):
    """The counters of one broker's agent, read over the bridge at the end of a repeat."""

    arm: str
    repeat: int
    t_ms: float
    broker: int
    enabled: bool
    errors: int
    holds_granted: int
    marks_total: int
    released_total: int
    pending_now: int
    held_now: int
    longest_hold_ms: int
    events_dropped: int
    lag_policy: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SampleLine(EventLine):
    """One replica of a race's topic and its broker's fetchers, read over the bridge.

    `moment` is before, during or after the race. `fetchers` is how many of the broker's fetcher
    threads are alive. `failed_partitions` is how many partitions they marked as failed, None if
    Kafka does not count them, and `put_right` how often the agent corrected a log start offset,
    both since the broker's start.
    """

    arm: str
    repeat: int
    t_ms: float
    moment: Moment
    broker: int
    topic: str
    partition: int
    log_start_offset: int
    high_watermark: int
    leo: int
    fetchers: int
    failed_partitions: int | None
    put_right: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ControllerLine(EventLine):
    """The state of the controller's agent at the end of a repeat, from its events (no bridge).

    `woven` says whether the agent was woven into the controller. `errors` counts its different
    errors since the start, because an agent reports each kind of error once.
    """

    arm: str
    repeat: int
    t_ms: float
    woven: bool
    errors: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ClockLine(EventLine):
    """How far a node's clock was ahead of the harness's at `t_ms`, give or take `error_ms`.

    It is measured when the repeats are over; `repeat` is -1. The controller is a node as well.
    """

    arm: str
    repeat: int = -1
    t_ms: float
    broker: int
    ahead_ms: float
    error_ms: float


@dataclass(frozen=True, kw_only=True, slots=True)
class StepDownLine(EventLine):
    """A leader's decision about a partition that it served too slowly, from its agent's events.

    `type` "read" only says that the broker's events were read to their end. `reason` is why the
    leader acted or did not act; `pending_ms` is how long a follower's fetch had been
    overdue. A request has `successor` and `isr_policy` (leave, keep-last). An answer has `outcome`
    (done, refused, failed), `way`, `error`, and `asked_ms`, how long the answer took.
    """

    arm: str
    t_ms: float
    broker: int
    type: StepDownType
    topic: str | None = None
    partition: int | None = None
    leader_epoch: int | None = None
    reason: str | None = None
    pending_ms: float | None = None
    successor: int | None = None
    isr_policy: str | None = None
    outcome: str | None = None
    way: str | None = None
    error: str | None = None
    asked_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleLine(EventLine):
    """A broker logs that it becomes a partition's leader or follower in a leader epoch.

    `life` counts the broker's starts, from 1. `from_offset` is its log end offset, and
    `high_watermark` its high watermark at that moment, None if the version does not log it.
    """

    arm: str
    t_ms: float
    broker: int
    life: int
    topic: str
    partition: int
    role: Literal["leader", "follower"]
    leader_epoch: int
    from_offset: int
    high_watermark: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplicaLogLine(EventLine):
    """The offsets of one replica's log, read after the cluster stopped.

    `end_offset` is the offset after the last batch. `problem` is why the log could not be read to
    its end, None if it could.
    """

    arm: str
    repeat: int
    topic: str
    partition: int
    replica: int
    start_offset: int
    end_offset: int
    batches: int
    problem: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchLine(EventLine):
    """The header of one record batch in one replica's log.

    Producer fields are -1 without idempotence. `control` is "commit" or "abort" for the end of a
    transaction, None for records. `valid` says whether the CRC matches the bytes.
    """

    arm: str
    repeat: int
    topic: str
    partition: int
    replica: int
    base_offset: int
    last_offset: int
    leader_epoch: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    crc: int
    bytes: int
    transactional: bool
    control: str | None
    valid: bool


DEFAULT_TOPIC: Final = "insync-events"
