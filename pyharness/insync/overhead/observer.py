"""Reads counters of running brokers from outside, through the attach interface of their JVMs.

`Observer.java` in plugin-java/clients says what each counter is. Stock brokers have no agent and
need no setting for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, java_command
from insync.brokers.kafka.java import Java
from insync.errors import InsyncError

MAIN: Final = "insync.clients.Observer"
Counters = Mapping[str, int]
"""Values by the names of Observer.java."""


class Observer:
    """A JVM that is attached to brokers."""

    def __init__(self, pipes: tuple[IO[bytes], IO[bytes]], brokers: int, log: Path) -> None:
        """Use the input and the output of the observer's process; errors quote its `log`."""
        self._input, self._output = pipes
        self._brokers = brokers
        self._log = log

    def read(self, *, collect: bool = False) -> list[Counters]:
        """Return the counters of each broker; with `collect` after a collection of its garbage.

        Raises InsyncError if a broker has ended.
        """
        try:
            self._input.write(b"collect\n" if collect else b"read\n")
            self._input.flush()
        except OSError:
            pass  # its output has ended, too, which is an error below
        lines = [self._output.readline().decode() for _ in range(self._brokers)]
        if not all(lines):
            raise InsyncError(f"the observer of the brokers ended: {process.complaint(self._log)}")
        return [_counters(line) for line in lines]


@contextmanager
def observer(java: Java, pids: Sequence[int], folder: Path) -> Iterator[Observer]:
    """Attach to the JVMs with these process ids for a block; `folder` is for the observer's log."""
    command = java_command(java, [built(CLIENTS_JAR)], SHORT_LIVED)
    log = folder / "observer.log"
    jvm = process.start([*command, MAIN, *map(str, pids)], log=log, folder=folder, piped=True)
    try:
        if jvm.stdin is None or jvm.stdout is None:
            raise InsyncError("the observer of the brokers has no pipes")
        yield Observer((jvm.stdin, jvm.stdout), len(pids), log)
    finally:
        process.kill([jvm])


def _counters(line: str) -> Counters:
    pairs = (pair.partition("=") for pair in line.split())
    return {name: int(value) for name, _, value in pairs}
