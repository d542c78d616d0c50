"""Read and write the files of a soak: every sample as a line, and `soak.json` with the verdict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from pydantic import Field, TypeAdapter

from insync.events.run_info import Recorded
from insync.events.schema import SCHEMA_VERSION
from insync.events.writer import write_atomic
from insync.outcome import Outcome

RESULT: Final = "soak.json"
SAMPLES: Final = "soak.jsonl"
"""One line per broker and sample, written when it is taken."""
PAGE: Final = "soak.html"


class Sample(Recorded):
    """What one broker was like at one time.

    Attributes:
        t_s: seconds since the disturbances began.
        broker: its id.
        heap_mb: heap in use after a collection, in 10^6 bytes.
        threads: threads of its process.
        handles: open file descriptors of its process.
        fetches: fetches of followers that it has answered since its start.
        evicted: fetch sessions that it has evicted since its start.
        closed: connections that have ended at it since its start, whichever side closed them.
        after: the disturbance since the sample before; empty for the first one and the last one.
        pending: marks of pending fetches; None without the agent, as those below.
        marks: marks since the start.
        held: followers that stay in the ISR because of a pending fetch.
        errors: exceptions in the agent's own code since the start.
        dropped: lines that its events file lacks.

    """

    t_s: float
    broker: int
    heap_mb: float
    threads: int
    handles: int
    fetches: int
    evicted: int
    closed: int
    after: str = ""
    pending: int | None = None
    marks: int | None = None
    held: int | None = None
    errors: int | None = None
    dropped: int | None = None


def by_broker(samples: Iterable[Sample]) -> dict[int, list[Sample]]:
    """Return the samples of each broker, the brokers by their ids."""
    found: dict[int, list[Sample]] = {}
    for each in samples:
        found.setdefault(each.broker, []).append(each)
    return dict(sorted(found.items()))


class Check(Recorded):
    """One thing that is expected, or observed: what, of which broker, and how it was.

    `broker` is None for what concerns all of them. `figure` is that of a trend; `growth`, `low` and
    `high` are its growth over the measured time with the ends of its interval, `allowed` its bound.
    """

    check: str
    broker: int | None = None
    outcome: Outcome
    words: str
    figure: str | None = None
    growth: float | None = None
    low: float | None = None
    high: float | None = None
    allowed: float | None = None


class Disturbance(Recorded):
    """How often the cluster was disturbed in one way."""

    kind: str
    times: int
    words: str


class Asked(Recorded):
    """What was asked for. `seconds` is the time of the disturbances; `agent` the jar's SHA-256."""

    kafka: str
    java: str
    arm: str
    seconds: float
    warm_up_s: float
    settings: Mapping[str, str]
    agent: str | None = None


class SoakInfo(Recorded):
    """The content of soak.json.

    `measured_s` is the time that was reached, `fetches` the follower fetches of all brokers in it,
    `records` how many were acked, `failed_records` how many were not.
    """

    v: int = SCHEMA_VERSION
    verdict: Outcome
    reason: str
    asked: Asked
    started_ms: float
    measured_s: float
    fetches: int
    fetches_per_s: float
    records: int
    failed_records: int
    disturbances: tuple[Disturbance, ...] = Field(default_factory=tuple)
    checks: tuple[Check, ...] = Field(default_factory=tuple)


def write_soak(folder: Path, info: SoakInfo) -> Path:
    """Write `folder/soak.json` and return its path."""
    text = json.dumps(info.model_dump(mode="json"), indent=2)
    return write_atomic(folder / RESULT, text + "\n")


def read_samples(folder: Path) -> Iterator[Sample]:
    """Yield the samples of a soak; a last line that was cut is left out."""
    reader = TypeAdapter(Sample)
    lines = (folder / SAMPLES).read_bytes().splitlines(keepends=True)
    for line in lines:
        if line.endswith(b"\n"):
            yield reader.validate_json(line)
