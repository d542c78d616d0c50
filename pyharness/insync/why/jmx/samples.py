"""Takes samples of brokers over JMX, by a JVM that is started for it.

`JmxSamples.java` says what each sample has.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import java_command
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.jvm import SHORT_LIVED
from insync.errors import InputError, InsyncError
from insync.events.schema import now_ms

MAIN: Final = "insync.clients.JmxSamples"
_LIMIT_MS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of a broker that serves requests, sends answers, or fetches."""

    id: int
    name: str
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a broker answered at a time; `error` is why it did not, then the rest is empty."""

    broker: int
    at_ms: float
    error: str | None
    figures: Mapping[str, int]
    threads: Sequence[Thread]


def targets_of(given: Sequence[str]) -> dict[int, str]:
    """Return the JMX address of each broker, of ID=HOST:PORT; raises InputError."""
    found: dict[int, str] = {}
    for each in given:
        number, equals, address = each.partition("=")
        host, colon, port = address.rpartition(":")
        if not (equals and number.isdecimal() and host and colon and port.isdecimal()):
            raise InputError(f"--jmx {each}: expected ID=HOST:PORT")
        if int(number) in found:
            raise InputError(f"--jmx {each}: broker {number} is given twice, expected once")
        found[int(number)] = address
    return found


def take(targets: Mapping[int, str], seconds: float) -> tuple[list[Sample], list[Sample]]:
    """Return two samples of each broker, some seconds apart.

    Raises InputError without a Java, InsyncError if our own JVM ended.
    """
    with (
        tempfile.TemporaryDirectory(prefix="insync-why-") as folder,
        _jvm(targets, folder) as pipes,
    ):
        first = _read(pipes, targets)
        time.sleep(seconds)
        return first, _read(pipes, targets)


@dataclass(frozen=True, slots=True)
class _Pipes:
    into: IO[bytes]
    out: IO[bytes]
    log: Path


@contextmanager
def _jvm(targets: Mapping[int, str], folder: str) -> Iterator[_Pipes]:
    command = java_command(find_java(), [built(CLIENTS_JAR)], SHORT_LIVED)
    log = Path(folder) / "jmx.log"
    asked = [f"{broker}={address}" for broker, address in targets.items()]
    jvm = process.start_piped(
        [*command, MAIN, str(_LIMIT_MS), *asked], log=log, folder=Path(folder)
    )
    try:
        if jvm.stdin is None or jvm.stdout is None:
            raise InsyncError("the JVM that asks over JMX has no pipes")
        yield _Pipes(jvm.stdin, jvm.stdout, log)
    finally:
        process.kill([jvm])


def _read(pipes: _Pipes, targets: Mapping[int, str]) -> list[Sample]:
    try:
        pipes.into.write(b"read\n")
        pipes.into.flush()
    except OSError:
        pass  # its output has ended, too, which is an error below
    lines = [pipes.out.readline() for _ in targets]
    if not all(lines):
        raise InsyncError(f"the JVM that asks over JMX ended: {process.complaint(pipes.log)}")
    return [parse(line.decode(), now_ms()) for line in lines]


def parse(line: str, at_ms: float) -> Sample:
    """Parse a line of `JmxSamples`."""
    found = json.loads(line)
    return Sample(
        broker=found["id"], at_ms=at_ms, error=found.get("error"),
        figures=found.get("figures", {}),
        threads=[
            Thread(each["id"], each["name"], tuple(each["frames"]))
            for each in found.get("threads", ())
        ],
    )  # fmt: skip
