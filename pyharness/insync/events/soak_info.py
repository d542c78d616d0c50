"""Read the samples of a soak, each of which is a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from insync.events.run_info import Recorded
from insync.lists import grouped

SAMPLES: Final = "soak.jsonl"
"""One line per broker and sample, written when it is taken."""


class SoakSample(Recorded):
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
    errors: int | None = None
    dropped: int | None = None


def by_broker(samples: Iterable[SoakSample]) -> dict[int, list[SoakSample]]:
    """Return the samples of each broker, the brokers by their ids."""
    return dict(sorted(grouped(samples, lambda each: each.broker).items()))


def read_samples(folder: Path) -> Iterator[SoakSample]:
    """Yield the samples of a soak; a last line that was cut is left out."""
    reader = TypeAdapter(SoakSample)
    lines = (folder / SAMPLES).read_bytes().splitlines(keepends=True)
    for line in lines:
        if line.endswith(b"\n"):
            yield reader.validate_json(line)
