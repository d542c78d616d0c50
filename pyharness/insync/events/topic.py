"""Events in a Kafka topic: which record is which line of which file.

A record's value is a line as it is in the file, its key says where that file is:
RUN/ARM/FILE, or RUN/run.json for the run itself. What the harness sends has the line's number
in its file (from 0, decimal; of the run itself the time, ms) in the header `n`: a record that
was sent twice is one line, and lines are in order whatever order they came in. Agents send in
order and once, without it.
"""

from dataclasses import dataclass
from typing import Final

from insync.events.schema import RUN

NUMBER: Final = "n"
DEFAULT_TOPIC: Final = "insync-events"


@dataclass(frozen=True)
class EventTopic:
    """A topic for events; `bootstrap` is None where it is on the cluster that a run starts."""

    name: str
    bootstrap: str | None = None


def origin(run: str, arm: str) -> str:
    """Return what the keys of an arm's lines begin with, but for the slash behind it."""
    return f"{run}/{arm}"


def line_key(run: str, arm: str, file: str) -> str:
    """Return the key of a file's lines."""
    return f"{origin(run, arm)}/{file}"


def run_key(run: str) -> str:
    """Return the key under which what run.json says is sent, anew with each change."""
    return f"{run}/{RUN}"
