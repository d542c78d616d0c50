"""One JVM that runs some test classes, one after the other: it is started, polled and ended."""

import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.brokers.kafka import process
from insync.kafka_tests import results
from insync.kafka_tests.arms import flag

OUTPUT: Final = "output.txt"
_PLAN: Final = "plan.txt"
_MAIN: Final = "insync.kafkatests.RunTests"
# Compiling less saves CPU time, because most code of a test runs only a few times.
_FLAGS: Final = ("-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_SILENT_WITHIN_S: Final = 300.0
_DUMP_WITHIN_S: Final = 10.0


@dataclass(frozen=True, kw_only=True)
class JvmSide:
    """One side of the comparison: the baseline, or an arm of the candidate, with the agent or not.

    `unknown_methods` is whether the agent may weave methods that it does not know.
    """

    name: str
    java: Path
    jars: tuple[Path, ...]
    agent: bool = False
    unknown_methods: bool = False


@dataclass(frozen=True, kw_only=True)
class JvmJob:
    """What one JVM runs: the ids of the tests per class, none for all; into a folder of results.

    The JVM has a folder in that one, whose name has the `word`.
    """

    side: JvmSide
    word: str
    tests: Mapping[str, Sequence[str]]
    folder: Path

    def missing(self) -> list[str]:
        """Return the classes that have no complete file of results."""
        return [name for name in self.tests if not results.file_of(self.folder, name).is_file()]


class TestJvm:
    """The JVM of a job. It ends by itself, or is killed: when a test hangs, and by `kill`."""

    __test__ = False  # pytest would collect it

    def __init__(self, job: JvmJob) -> None:
        self.job = job
        # A class may need several, one after the other.
        number = 1 + sum(1 for _ in job.folder.glob(f"jvm-{job.word}-*"))
        self.here = job.folder / f"jvm-{job.word}-{number}"
        self.hung = ""
        self._temporary = self.here / "tmp"
        self._temporary.mkdir(parents=True)
        lines = ["\t".join((name, *job.tests[name])) for name in job.missing()]
        self.planned = len(lines)
        plan = self.here / _PLAN
        plan.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        side = job.side
        agent = []
        if side.agent:
            agent.append(flag(side.name, self.here, unknown_methods=side.unknown_methods))
        path = ":".join(map(str, side.jars))
        command = [
            str(side.java), *_FLAGS, f"-Djava.io.tmpdir={self._temporary}", *agent,
            "-cp", path, _MAIN, str(plan), str(job.folder),
        ]  # fmt: skip
        self._jvm = process.start(command, log=self.here / OUTPUT, folder=self._temporary)
        self._seen = (0, time.monotonic())

    def poll(self) -> bool:
        """Whether the JVM has ended; if no test started or ended for long, it is killed first."""
        if self._jvm.poll() is None:
            self._watch()
        return self._jvm.poll() is not None

    def finish(self) -> str:
        """Complete the file of the class that ran when the JVM ended, and clean up.

        Returns why the JVM ended before its classes; empty if it did not.
        """
        shutil.rmtree(self._temporary, ignore_errors=True)
        missing = self.job.missing()
        if not missing:
            return ""
        why = self.hung or f"the JVM ended with exit code {self._jvm.returncode}"
        part = results.part_of(self.job.folder, missing[0])
        started = part.is_file() and results.read_class(part).tests
        if not started:
            why = f"{why}: {process.complaint(self.here / OUTPUT)}"
        if part.is_file():
            results.seal(part, why)
        return why

    def kill(self) -> None:
        process.kill([self._jvm])
        shutil.rmtree(self._temporary, ignore_errors=True)

    def _watch(self) -> None:
        size = written(self.job)
        last, since = self._seen
        now = time.monotonic()
        if size != last:
            self._seen = (size, now)
        elif now - since > _SILENT_WITHIN_S:
            self.hung = f"no test started or ended for {_SILENT_WITHIN_S:.0f} s"
            self._jvm.send_signal(signal.SIGQUIT)  # prints its threads
            until = time.monotonic() + _DUMP_WITHIN_S
            while self._jvm.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
            process.kill([self._jvm])


def written(job: JvmJob) -> int:
    """Return how many bytes of results a job's JVM has written so far."""
    size = 0
    for name in job.tests:
        for file in (results.file_of(job.folder, name), results.part_of(job.folder, name)):
            with suppress(FileNotFoundError):  # the JVM renames what is complete
                size += file.stat().st_size
    return size
