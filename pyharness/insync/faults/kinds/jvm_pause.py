"""`jvm-pause`: all Java threads of a broker stop at a safepoint, as by a long garbage collection.

The JVM writes a heap dump, which it does at a safepoint, and the library of the stalls holds that
write until the end. Evidence: the JVM's own log of its safepoints.
"""

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault, await_true, refusal
from insync.faults.kind import (
    NOT_RUNNING,
    FaultKind,
    KindWords,
    Requirements,
    Tags,
    both,
    counted,
)
from insync.faults.spec import Lasting
from insync.faults.support import shim
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode, Site
from insync.running import Running

LOG: Final = "safepoint.log"
FLAG: Final = f"-Xlog:safepoint:file={LOG}:uptime:filecount=0"
BEGINS_WITHIN_S: Final = 20.0  # a JVM of its own asks for the dump
ENDS_WITHIN_S: Final = 20.0
_SAFEPOINT: Final = re.compile(r'Safepoint "(\w+)", .*Total:\s*(\d+) ns')
_DUMP: Final = "HeapDumper"


class JvmPause(Lasting):
    """All Java threads of the broker are stopped at a safepoint."""

    kind: Literal["jvm-pause"]


class JvmPauseFault(Fault[JvmPause]):
    def plan(self) -> None:
        """Plan it; each pause of a broker has a dump of another name."""
        folder = self.cluster.node(self.context.broker).folder
        self._rules = ArmedRules(self.cluster.controls[self.context.broker], self.context.broker)
        self._log = folder / LOG
        self._dump = folder / "tmp" / f"pause-{self.context.repeat}-{self.spec.at_ms}" / "heap.log"
        self._asking: Running | None = None
        self._logged = 0
        self._seen: Sequence[tuple[str, float]] = ()

    def inject(self) -> None:
        self._rules.check()
        self._logged = len(self._lines())
        self._dump.parent.mkdir(parents=True)
        self._dump.parent.chmod(0o777)  # in a container the JVM is another user
        with self.window.beginning(undo=self._end_dump):
            self._rules.arm(
                [self._dump.parent.name], Site.WRITE, Mode.HOLD,
                planned_ms=self.context.planned_ms + int(BEGINS_WITHIN_S * 1000),
            )  # fmt: skip
            # All objects: otherwise the JVM collects garbage first, which takes longer or shorter.
            words = [_jcmd(), str(self.process.pid), "GC.heap_dump", "-all", str(self._dump)]
            asking = self._asking = self.cluster.start(words)
            await_true(lambda: self._rules.now > 0 or asking.poll() is not None, BEGINS_WITHIN_S)
            if self._rules.now == 0:
                raise InsyncError(f"{self.context.where}: its JVM wrote no heap dump")

    def end(self) -> None:
        """Let the JVM go on; it ends the dump first, which takes some 100 ms.

        The log is read now: if another fault kills the broker, its next JVM overwrites it.
        """
        self.window.end()
        self._end_dump()
        await_true(lambda: any(_dumps(self._pauses())), ENDS_WITHIN_S)
        self._seen = list(self._pauses())

    def evidence(self) -> FaultLine:
        pauses = [ms for _, ms in self._seen]
        figures = {"safepoints": len(pauses), "longest_pause_ms": max(pauses, default=0.0)}
        return self.line(max(_dumps(self._seen), default=0.0), figures)

    def _end_dump(self) -> None:
        """Let the dump go on to its end, and remove it."""
        self._rules.lift()
        asking = self._asking
        if asking is not None and not await_true(lambda: asking.poll() is not None, ENDS_WITHIN_S):
            asking.send_signal(9)
        self._rules.drain()
        shutil.rmtree(self._dump.parent, ignore_errors=True)

    def _pauses(self) -> Iterator[tuple[str, float]]:
        """Yield the safepoints since the fault began: their operations and times."""
        for line in self._lines()[self._logged :]:
            if found := _SAFEPOINT.search(line):
                yield found[1], int(found[2]) / 1e6

    def _lines(self) -> list[str]:
        try:
            return self._log.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []


def _dumps(pauses: Iterable[tuple[str, float]]) -> Iterator[float]:
    """Return how long the pauses for heap dumps took, in ms."""
    return (ms for operation, ms in pauses if operation == _DUMP)


def _jcmd() -> str:
    from insync.brokers.kafka.java import find_java

    return str(find_java().home / "bin" / "jcmd")


def unavailable(out: Path) -> str | None:
    """Return why no JVM can be paused on this machine, or None."""
    if problem := refusal(_jcmd):
        return problem
    if not Path(jcmd := _jcmd()).is_file():
        return f"no {jcmd}, expected a JDK (apt-get install openjdk-17-jdk-headless)"
    return shim.unavailable(out)


KIND = FaultKind(
    spec=JvmPause,
    words=KindWords(
        does="all Java threads of the broker stop at a safepoint, as by a long garbage collection",
        mechanism="`jcmd GC.heap_dump`, and the library of stall, which holds the dump's write",
        evidence="the JVM's log of its safepoints (`-Xlog:safepoint`): the longest pause",
        notes="Unlike a `freeze`, the process is not stopped: system calls that were under way end,"
        " the kernel answers, and the JVM counts the pause. It ends when the rest of the dump is"
        " written, some 100 ms later. Brokers have the flag `-Xlog:safepoint` only in scenarios"
        " with this fault; the dump is removed. Needs the `jcmd` of a JDK.",
    ),
    probes=both(unavailable),
    inject=JvmPauseFault,
    requires=lambda _, __: Requirements(stall_rules=1, jvm_flags=(FLAG,)),
    missing=counted("longest_pause_ms"),
    tags=Tags(alone=True, stops_following=True, late_shrinks={"jvm-pause": NOT_RUNNING}),
)
