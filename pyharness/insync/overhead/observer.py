"""Reads counters of running brokers from outside, through the attach interface of their JVMs.

`Observer.java` in plugin-java/clients says what each counter is. Stock brokers have no agent and
need no setting for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, java_command
from insync.brokers.kafka.java import Java

MAIN: Final = "insync.clients.Observer"
Counters = Mapping[str, int]
"""Values by the names of Observer.java."""


@dataclass(frozen=True, slots=True)
class Observer:
    """A JVM that is attached to brokers, and what asks it."""

    ask: Callable[[str], list[str]]

    def read(self, *, collect: bool = False) -> list[Counters]:
        """Return the counters of each broker; with `collect` after a collection of its garbage.

        Raises InsyncError if a broker has ended.
        """
        return [_counters(line) for line in self.ask("collect" if collect else "read")]


@contextmanager
def observer(java: Java, pids: Sequence[int], folder: Path) -> Iterator[Observer]:
    """Attach to the JVMs with these process ids for a block; `folder` is for the observer's log."""
    command = java_command(java, [built(CLIENTS_JAR)], SHORT_LIVED)
    with process.answering(
        [*command, MAIN, *map(str, pids)],
        log=folder / "observer.log", folder=folder, what="the observer of the brokers",
    ) as ask:  # fmt: skip
        yield Observer(lambda word: ask(word, len(pids)))


def _counters(line: str) -> Counters:
    pairs = (pair.partition("=") for pair in line.split())
    return {name: int(value) for name, _, value in pairs}
