"""Every line and every file name that a run leaves for the analysis.

A line is one JSON object with the fields of one class below, in that order,
opened by the schema version `v`. Fields ending in `_ms` that name a moment are
milliseconds since the epoch on the one host's wall clock; durations are
measured with a monotonic clock. `None` becomes JSON `null`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

SCHEMA_VERSION: Final = 1

RUN: Final = "run.json"
SCENARIO: Final = "scenario.toml"
VERDICT: Final = "verdict.json"
REPORT: Final = "report.html"
JUNIT: Final = "junit.xml"

PHASES: Final = "phases.jsonl"
FAULTS: Final = "faults.jsonl"
ISR: Final = "isr.jsonl"
COUNTERS: Final = "counters.jsonl"
SAMPLES: Final = "samples.jsonl"
ROLES: Final = "roles.jsonl"
REPLICA_LOGS: Final = "replica-logs.jsonl"
CONTROLLER: Final = "controller.jsonl"
STEP_DOWNS: Final = "step-downs.jsonl"

StepDownType = Literal["read", "asked", "answered", "withheld"]
TransactionEnd = Literal["committed", "aborted", "unknown"]
PhaseType = Literal["cluster_ready", "repeat_started", "steady", "repeat_ended", "aborted"]

Moment = Literal["before", "during", "after"]


def now_ms() -> float:
    """Return this moment as milliseconds since the epoch."""
    return time.time() * 1000


def produce_file(repeat: int) -> str:
    """Return the name of the file of `ProduceLine`s of one repeat."""
    return f"produce-{repeat}.jsonl"


def transactions_file(repeat: int) -> str:
    """Return the name of the file of `TransactionLine`s of one repeat."""
    return f"transactions-{repeat}.jsonl"


def consume_file(repeat: int) -> str:
    """Return the name of the file of `ConsumeLine`s of one repeat."""
    return f"consume-{repeat}.jsonl"


def batches_file(repeat: int) -> str:
    """Return the name of the file of `BatchLine`s of one repeat."""
    return f"batches-{repeat}.jsonl"


def events_dir(run: Path, arm: str) -> Path:
    """Return the folder of an arm's event files."""
    return run / "events" / arm


def nodes_dir(run: Path, arm: str) -> Path:
    """Return the folder of an arm's nodes: properties, logs, data."""
    return run / "nodes" / arm


def topic_name(scenario: str, repeat: int) -> str:
    """Return the topic of one repeat."""
    return f"{scenario}-r{repeat}"


def fault_words(kind: str, site: str) -> str:
    """Say what a fault is in a word or two, such as "read stall"."""
    return f"{site} {kind}".strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """What all lines open with."""

    v: int = field(default=SCHEMA_VERSION, init=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class PhaseLine(Line):
    """A moment in the order of a run; `repeat` is -1 where no repeat is under way.

    The start of a repeat tells its seed, and its end the longest time for which the harness
    itself got no turn.
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
class FaultLine(Line):
    """A fault and its evidence.

    `held_ms` is summed over the system calls that were held, `longest_held_ms` is of one.
    `acted_ms` is how long the fault provably acted, and `figures` what else shows it, by
    kind of fault; files from before there were other kinds than "stall" have neither.
    `site` and `mode` are empty where the kind has none.
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
class ProduceLine(Line):
    """One record that was to be produced.

    `sent_ms` is when it was due, and `latency_ms` counts from there. `done_ms` and
    `latency_ms` are None if it was never answered, `offset` if it was not acked, or if the
    broker only said that it has the record already. `producer` is the one that sent it: each
    sends its records, of one partition, in the order of `seq`. `transaction` is the number of
    the one that it is a part of, and None outside of transactions.
    """

    arm: str
    repeat: int
    topic: str
    partition: int
    seq: int
    sent_ms: float
    done_ms: float | None
    latency_ms: float | None
    error: str | None
    offset: int | None
    producer: int
    idempotent: bool = False
    transaction: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TransactionLine(Line):
    """One transaction, written when it has ended; `transaction` is its number in the repeat.

    `asked_ms` is when its producer asked for the end, a commit or an abort as `wanted` says,
    and `took_ms` how long the answer took; both are None if it never came so far. The `end` is
    unknown if there was no answer, or none that tells.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsumeLine(Line):
    """One record that was read, each time that it was.

    `nth` counts what this `consumer` read in the repeat, over all partitions and from 0.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class CountersLine(Line):
    """What one broker's agent counted, read over the bridge at the end of a repeat."""

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
class SampleLine(Line):
    """One replica of a race's topic and its broker's fetchers, read over the bridge.

    `moment` is before, during or after the race. `fetchers` is how many of the broker's fetcher
    threads are alive, `failed_partitions` how many partitions they gave up, None where Kafka does
    not count them, and `put_right` how often the agent put a log start offset right, both since
    the broker's start.
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
class ControllerLine(Line):
    """What the controller's agent left in its events by the end of a repeat; it has no bridge.

    `woven` says whether it came into the controller, `errors` counts the kinds of its errors
    since the start, one after the other, for an agent tells of each once.
    """

    arm: str
    repeat: int
    t_ms: float
    woven: bool
    errors: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StepDownLine(Line):
    """What a leader decided about a partition that it served too slowly, as its agent told.

    `type` "read" says that the broker's events were read to their end, and nothing else. `reason`
    is why it acted, or why not; `pending_ms` how long a follower's fetch had been in its hands.
    `outcome` (done, refused, failed), `way`, `error` and `asked_ms`, how long the answer took,
    are of an answer; `successor` and `isr_policy` (leave, keep-last) of what was asked.
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
    score: float | None = None
    successor: int | None = None
    isr_policy: str | None = None
    outcome: str | None = None
    way: str | None = None
    error: str | None = None
    asked_ms: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleLine(Line):
    """A broker says that it is now a partition's leader or follower, from an epoch on.

    `life` counts the broker's starts, from 1. `from_offset` is its log's end and
    `high_watermark` what it knows of it by then: None where the version does not say.
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
class ReplicaLogLine(Line):
    """One replica's log, read after the cluster stopped: from and to which offset.

    `end_offset` is the offset after the last batch; `problem` is why it was not read to its
    end, None if it was.
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
class BatchLine(Line):
    """One record batch in one replica's log, as its header says.

    Producer fields are -1 without idempotence. `control` is "commit" or "abort" for the end
    of a transaction, None for records. `valid` if the CRC is that of the bytes.
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
