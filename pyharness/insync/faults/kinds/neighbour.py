"""The busy neighbours: a node's threads share one core with processes that never rest.

Evidence: how long the node's threads stood ready to run and had no core, how much CPU time the
neighbours took from them, and what share of the core was left.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true
from insync.faults.support import affinity
from insync.faults.support.procfs import PROC, cpu_ms
from insync.running import Running

# How far beyond its time a neighbour may live if it is not ended.
_BEYOND_S: Final = 5.0
_ENDS_WITHIN_S: Final = 5.0
_BUSY_WITHIN_S: Final = 5.0
_BUSY: Final = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
until = time.monotonic() + float(sys.argv[2])
while time.monotonic() < until: pass
"""


def busy_command(core: int, seconds: float) -> list[str]:
    """Return the command of a process that keeps a core busy, at most so long."""
    return [sys.executable, "-I", "-S", "-c", _BUSY, str(core), str(seconds)]


def unavailable() -> str | None:
    """Return why no busy neighbour can be put beside a node of this user here, or None."""
    if not hasattr(os, "sched_setaffinity"):
        return f"on {sys.platform}, expected Linux, to keep threads to a core"
    if not (PROC / "self" / "schedstat").exists():
        return "/proc/self/schedstat: not there, expected a kernel that counts waiting threads"
    return None


class NeighbourFault:
    """A `Fault`: one node gets a share of one core only."""

    def __init__(
        self,
        process: Callable[[], Running],
        start: Callable[[list[str]], Running],
        neighbours: int,
        occasion: Occasion,
    ) -> None:
        """Plan it.

        Args:
            process: the node's process as it is when the fault begins.
            start: starts a command as a process that does not outlive the harness.
            neighbours: how many busy processes there are.
            occasion: where the fault belongs.

        """
        self._process = process
        self._start = start
        self._count = neighbours
        self._occasion = occasion
        self._window = Window()
        self._busy: list[Running] = []
        self._before: dict[int, affinity.Cores] = {}
        self._pid = 0
        self._core = 0
        self._waited: dict[int, float] = {}
        self._cpu_ms = 0.0
        self._figures: dict[str, float] = {}
        self._stood = False

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Start the neighbours and move the node beside them; raises InsyncError if refused."""
        self._pid = self._process().pid
        self._before = affinity.cores_of(self._pid)
        if not self._before:
            raise InsyncError(f"{self._occasion.where}: had ended before")
        self._core = max(self._usual)
        self._window.begin()
        command = busy_command(self._core, self._occasion.planned_ms / 1000 + _BEYOND_S)
        for _ in range(self._count):
            self._busy.append(self._start(command))
        if not await_true(self._all_busy, _BUSY_WITHIN_S):
            raise InsyncError(f"core {self._core}: its neighbours did not become busy")
        self._waited = affinity.waited_ms(self._pid)
        self._cpu_ms = cpu_ms(self._pid) or 0.0
        affinity.confine(self._pid, self._core)
        self._window.begin()  # all before was preparation

    def lift(self) -> None:
        """End the neighbours and let the node's threads run where they did."""
        if not self._window.is_open:
            return
        self._look()
        for process in self._busy:
            process.send_signal(signal.SIGKILL)
        affinity.release(self._pid, self._before, self._usual)
        for process in self._busy:
            try:
                process.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                raise InsyncError(f"process {process.pid}: still there after SIGKILL") from None

    def evidence(self) -> FaultLine:
        """Return what the node had to wait; it acted if all stood side by side to the end."""
        acted_ms = self._window.length_ms if self._stood else 0.0
        return self._window.line(self._occasion, acted_ms, self._figures)

    @property
    def _usual(self) -> affinity.Cores:
        """The cores of the process's first thread before, and of what it starts."""
        return self._before.get(self._pid, frozenset[int]().union(*self._before.values()))

    def _all_busy(self) -> bool:
        return all(cpu_ms(each.pid) and _on(each.pid, self._core) for each in self._busy)

    def _look(self) -> None:
        """End the window; note what the node waited and ran, and whether all stood beside it."""
        now, ran_ms = affinity.waited_ms(self._pid), (cpu_ms(self._pid) or 0.0) - self._cpu_ms
        self._window.end()
        self._figures = {
            "waited_ms": sum(now[thread] - self._waited.get(thread, 0.0) for thread in now),
            "neighbours_ms": sum(cpu_ms(process.pid) or 0.0 for process in self._busy),
            "share_percent": max(0.0, ran_ms) / self._window.length_ms * 100,
        }
        alive = len(self._busy) == self._count and all(each.poll() is None for each in self._busy)
        self._stood = alive and _on(self._pid, self._core)


def _on(pid: int, core: int) -> bool:
    """Whether all threads of a process may run on one core only."""
    cores = affinity.cores_of(pid)
    return bool(cores) and set(cores.values()) == {frozenset({core})}
