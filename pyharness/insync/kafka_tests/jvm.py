"""Run some test classes in one JVM, one after the other."""

import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final

from insync.brokers.kafka import process
from insync.kafka_tests import results
from insync.kafka_tests.arms import flag

OUTPUT: Final = "output.txt"
_PLAN: Final = "plan.txt"
_MAIN: Final = "insync.kafkatests.RunTests"
# Compiling less saves CPU time, because most code of a test runs only a few times.
_FLAGS: Final = ("-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_POLL_S: Final = 0.2
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


def run_jvm(job: JvmJob, over: Event) -> str:
    """Run the classes that a job lacks in one JVM; return why it ended before them, if it did.

    It is killed when a test hangs, or when all is `over`. The file of the class that ran at its end
    is completed, except when all is over.
    """
    # A class may need several, one after the other.
    number = 1 + sum(1 for _ in job.folder.glob(f"jvm-{job.word}-*"))
    here = job.folder / f"jvm-{job.word}-{number}"
    temporary = here / "tmp"
    temporary.mkdir(parents=True)
    plan, side = here / _PLAN, job.side
    lines = ("\t".join((name, *job.tests[name])) for name in job.missing())
    plan.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    agent = [flag(side.name, here, unknown_methods=side.unknown_methods)] if side.agent else []
    command = [
        str(side.java), *_FLAGS, f"-Djava.io.tmpdir={temporary}", *agent,
        "-cp", ":".join(map(str, side.jars)), _MAIN, str(plan), str(job.folder),
    ]  # fmt: skip
    jvm = process.start(command, log=here / OUTPUT, folder=temporary)
    try:
        hung = _await_end(jvm, job, over)
    finally:
        process.kill([jvm])
        shutil.rmtree(temporary, ignore_errors=True)
    missing = job.missing()
    if not missing or over.is_set():
        return ""
    why = hung or f"the JVM ended with exit code {jvm.returncode}"
    part = results.part_of(job.folder, missing[0])
    started = part.is_file() and results.read_class(part).tests
    if not started:
        why = f"{why}: {process.complaint(here / OUTPUT)}"
    if part.is_file():
        results.seal(part, why)
    return why


def _await_end(jvm: "subprocess.Popen[bytes]", job: JvmJob, over: Event) -> str:
    """Wait until a JVM has ended or all is over; say so if no test started or ended for long."""
    last, since = 0, time.monotonic()
    while jvm.poll() is None and not over.wait(_POLL_S):
        size, now = written(job), time.monotonic()
        if size != last:
            last, since = size, now
        elif now - since > _SILENT_WITHIN_S:
            jvm.send_signal(signal.SIGQUIT)  # prints its threads
            with suppress(subprocess.TimeoutExpired):
                jvm.wait(_DUMP_WITHIN_S)
            return f"no test started or ended for {_SILENT_WITHIN_S:.0f} s"
    return ""


def written(job: JvmJob) -> int:
    """Return how many bytes of results a job's JVM has written so far."""
    size = 0
    for name in job.tests:
        for file in (results.file_of(job.folder, name), results.part_of(job.folder, name)):
            with suppress(FileNotFoundError):  # the JVM renames what is complete
                size += file.stat().st_size
    return size
