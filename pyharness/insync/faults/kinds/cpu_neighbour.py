"""`cpu-neighbour`: a node's threads share one core with processes that are always busy.

Evidence: how long the node's threads were ready to run and had no core, how much CPU time the
neighbours took from them, and what share of the core was left.
"""

import os
import signal
import sys
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import Fault, await_ended, await_true
from insync.faults.kind import FaultKind, KindWords, RecordedFigures, Tags, both
from insync.faults.spec import OnProcess
from insync.faults.support import affinity
from insync.faults.support.procfs import PROC, cpu_ms
from insync.running import Running

_BEYOND_S: Final = 5.0  # how far beyond its time a neighbour lives if nobody ends it
_ENDS_WITHIN_S: Final = 5.0
_BUSY_WITHIN_S: Final = 5.0
LEAST_WAIT: Final = 0.1
"""Of its time beside busy neighbours, how long a node's threads must have waited in sum."""
_BUSY: Final = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until: pass
"""


class CpuNeighbour(OnProcess):
    """The process shares one core with busy processes, `neighbours` of them."""

    kind: Literal["cpu-neighbour"]
    neighbours: Annotated[int, Field(ge=1, le=16)] = 4


def busy_command(core: int, seconds: float) -> list[str]:
    """Return the command of a process that keeps a core busy for at most `seconds`."""
    return [sys.executable, "-I", "-S", "-c", _BUSY, str(core), str(seconds)]


def unavailable() -> str | None:
    """Return why no busy process can share a core with a node of this user here, or None."""
    if not hasattr(os, "sched_setaffinity"):
        return f"on {sys.platform}, expected Linux, to keep threads to a core"
    if not (PROC / "self" / "schedstat").exists():
        return "/proc/self/schedstat: not there, expected a kernel that counts waiting threads"
    return None


class NeighbourFault(Fault[CpuNeighbour]):
    def plan(self) -> None:
        self._busy: list[Running] = []
        self._before: dict[int, affinity.Cores] = {}
        self._pid = 0
        self._core = 0
        self._waited: dict[int, float] = {}
        self._cpu_ms = 0.0

    def inject(self) -> None:
        self._pid = self.process.pid
        self._before = affinity.cores_of(self._pid)
        if not self._before:
            raise InsyncError(f"{self.context.where}: its process has already ended")
        self._core = max(self._usual)
        self.window.begin()
        command = busy_command(self._core, self.context.planned_ms / 1000 + _BEYOND_S)
        for _ in range(self.spec.neighbours):
            self._busy.append(self.cluster.start(command))
        if not await_true(self._all_busy, _BUSY_WITHIN_S):
            raise InsyncError(f"core {self._core}: its neighbours did not become busy")
        affinity.confine(self._pid, self._core)
        self._waited = affinity.waited_ms(self._pid)
        self._cpu_ms = cpu_ms(self._pid) or 0.0
        self.window.begin()  # again: all before was preparation

    def end(self) -> None:
        self._look()
        for process in self._busy:
            process.send_signal(signal.SIGKILL)
        affinity.release(self._pid, self._before, self._usual)
        await_ended(self._busy, _ENDS_WITHIN_S)

    @property
    def _usual(self) -> affinity.Cores:
        """The cores of the process's first thread before, and of what it starts."""
        return self._before.get(self._pid, frozenset[int]().union(*self._before.values()))

    def _all_busy(self) -> bool:
        return all(cpu_ms(each.pid) and _on(each.pid, self._core) for each in self._busy)

    def _look(self) -> None:
        """End the window; record the node's times, and whether all still shared the core."""
        now, ran_ms = affinity.waited_ms(self._pid), (cpu_ms(self._pid) or 0.0) - self._cpu_ms
        self.window.end()
        self.figures = {
            "waited_ms": sum(now[thread] - self._waited.get(thread, 0.0) for thread in now),
            "neighbours_ms": sum(cpu_ms(process.pid) or 0.0 for process in self._busy),
            "share_percent": max(0.0, ran_ms) / self.window.length_ms * 100,
        }
        alive = [each for each in self._busy if each.poll() is None]
        self.acted = len(alive) == self.spec.neighbours and _on(self._pid, self._core)


def _on(pid: int, core: int) -> bool:
    """Whether all threads of a process may run on one core only."""
    cores = affinity.cores_of(pid)
    return bool(cores) and set(cores.values()) == {frozenset({core})}


def _missing(_: PlannedFault, seen: RecordedFigures) -> str | None:
    waited_ms = seen.figures.get("waited_ms", 0.0)
    least_ms = seen.acted_ms * LEAST_WAIT
    if waited_ms >= least_ms > 0:
        return None
    return f"waited_ms was {waited_ms:.0f}, expected at least {least_ms:.0f}"


KIND = FaultKind(
    spec=CpuNeighbour,
    words=KindWords(
        does="the process shares one core with busy ones",
        mechanism="its threads and busy processes of the harness are pinned to one core",
        evidence="how long its threads were ready to run without a core",
        notes="There are `neighbours` busy processes, 1 to 16; they end with the harness at the"
        " latest. Evidence: `waited_ms` (`/proc/PID/task/*/schedstat`), `neighbours_ms`, the"
        " neighbours' CPU time, and its `share_percent` of the core.",
    ),
    probes=both(lambda _: unavailable()),
    inject=NeighbourFault,
    missing=_missing,
    tags=Tags(once=True),
)
