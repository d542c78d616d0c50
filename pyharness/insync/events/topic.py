"""Define how the lines of event files map to the records of a Kafka topic.

A record's value is one line of a file, and its key is the file: RUN/ARM/FILE, or RUN/run.json for
the record of the run. The harness adds the header `n`, the number of the line in its file (from 0,
decimal; for run.json the time in ms), so that readers can drop duplicates and restore the order.
Agents send each line once and in order, without this header.
"""

from dataclasses import dataclass
from typing import Final

from insync.events.schema import RUN

NUMBER: Final = "n"
DEFAULT_TOPIC: Final = "insync-events"


@dataclass(frozen=True)
class EventTopic:
    """A topic for events; `bootstrap` is None if the topic is on the run's own cluster."""

    name: str
    bootstrap: str | None = None


def origin(run: str, arm: str) -> str:
    """Return the prefix of the keys of an arm's lines, without the slash at its end."""
    return f"{run}/{arm}"


def line_key(run: str, arm: str, file: str) -> str:
    """Return the key of a file's lines."""
    return f"{origin(run, arm)}/{file}"


def run_key(run: str) -> str:
    """Return the key of a run's run.json, which is sent again after each change."""
    return f"{run}/{RUN}"
