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
EVENTS: Final = "events"

PHASES: Final = "phases.jsonl"
FAULTS: Final = "faults.jsonl"
ISR: Final = "isr.jsonl"
COUNTERS: Final = "counters.jsonl"

PhaseType = Literal["cluster_ready", "repeat_started", "steady", "repeat_ended", "aborted"]


def now_ms() -> float:
    """Return this moment as milliseconds since the epoch."""
    return time.time() * 1000


def produce_file(repeat: int) -> str:
    """Return the name of the file of `ProduceLine`s of one repeat."""
    return f"produce-{repeat}.jsonl"


def consume_file(repeat: int) -> str:
    """Return the name of the file of `ConsumeLine`s of one repeat."""
    return f"consume-{repeat}.jsonl"


def events_dir(run: Path, arm: str) -> Path:
    """Return the folder of an arm's event files."""
    return run / EVENTS / arm


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

    The end of a repeat tells the longest time for which the harness itself got no turn.
    """

    type: PhaseType
    t_ms: float
    arm: str
    repeat: int = -1
    topic: str | None = None
    note: str = ""
    longest_gap_ms: float | None = None


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
    `latency_ms` are None if it was never answered, `offset` if it was not acked.
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ConsumeLine(Line):
    """One record that was read, once per offset."""

    arm: str
    repeat: int
    topic: str
    partition: int
    offset: int
    seq: int
    read_ms: float


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
