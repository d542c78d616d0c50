"""Reads counters of running brokers from outside, through the attach interface of their JVMs.

`Observer.java` in plugin-java/clients says what each counter is. Stock brokers have no agent and
need no setting for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, java_command
from insync.brokers.kafka.java import Java

MAIN: Final = "insync.clients.Observer"
Counters = Mapping[str, int]
"""Values by the names of Observer.java."""
Observer = Callable[[str], list[Counters]]
"""Returns the counters of each broker if it is asked to "read", or to "collect" its garbage first.

Raises InsyncError if a broker has ended.
"""


@contextmanager
def observer(java: Java, pids: Sequence[int], folder: Path) -> Iterator[Observer]:
    """Attach to the JVMs with these process ids for a block; `folder` is for the observer's log."""
    command = java_command(java.binary, [built(CLIENTS_JAR)], SHORT_LIVED)
    with process.answering(
        [*command, MAIN, *map(str, pids)],
        log=folder / "observer.log", folder=folder, what="the observer of the brokers",
    ) as ask:  # fmt: skip
        yield lambda word: [_counters(line) for line in ask(word, len(pids))]


def _counters(line: str) -> Counters:
    pairs = (pair.partition("=") for pair in line.split())
    return {name: int(value) for name, _, value in pairs}
