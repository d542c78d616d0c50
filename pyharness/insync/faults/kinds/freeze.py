"""`freeze`: a node's process is stopped, with every thread, and continues at the end.

A process of this host is stopped by a signal, a container is paused.
Evidence: it is stopped at the beginning and at the end, and got no CPU time in between. Its times
are those between which it provably did nothing, so that no answer of it can be between them.
"""

import signal
from typing import TYPE_CHECKING, Final, Literal

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import AnyLasting, Fault, await_true
from insync.faults.kind import NOT_RUNNING, FaultKind, KindWords, RecordedFigures, Tags, figure
from insync.faults.spec import OnAnyProcess
from insync.faults.support.cgroup_places import group_of
from insync.faults.support.procfs import cpu_ms, is_stopped
from insync.running import Running

if TYPE_CHECKING:
    from insync.brokers.docker.process import ContainerProcess


class BySignal:
    """Stops a process of this host, with all its threads, by SIGSTOP and SIGCONT."""

    words = "SIGSTOP"

    def __init__(self, process: Running) -> None:
        self.process = process

    def stop(self) -> None:
        """Stop it, which may take a moment."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Continue it; nothing happens if it runs or has ended."""
        self.process.send_signal(signal.SIGCONT)

    def is_stopped(self) -> bool:
        """Whether the kernel says that all of it is stopped."""
        return is_stopped(self.process.pid)


class ByPause:
    """The same of a container: the engine's pause, the kernel's freezer of control groups."""

    words = "the container's pause"

    def __init__(self, container: "ContainerProcess") -> None:
        self.process = container

    def stop(self) -> None:
        self.process.pause()

    def go_on(self) -> None:
        self.process.unpause()

    def is_stopped(self) -> bool:
        try:
            group = group_of(self.process.pid, "freezer")
            if group.unified:
                return "frozen 1" in (group.folder / "cgroup.events").read_text(encoding="ascii")
            state = (group.folder / "freezer.state").read_text(encoding="ascii")
        except OSError:
            return False
        return state.strip() == "FROZEN"


Freezer = BySignal | ByPause
STOPS_WITHIN_S = 2.0
MOST_CPU_MS: Final = 100.0
"""CPU time of a frozen process: threads that were about to stop; a running broker has more."""


class Freeze(OnAnyProcess):
    """The process is stopped (SIGSTOP) and continues at the end."""

    kind: Literal["freeze"]


class FreezeFault(Fault[AnyLasting]):
    _freezer: Freezer
    _cpu_before: float | None = None

    def inject(self) -> None:
        self._freezer = self.freezer()
        with self.window.beginning(undo=self._freezer.go_on):
            self._freezer.stop()
            if not await_true(self._freezer.is_stopped, STOPS_WITHIN_S):
                raise InsyncError(
                    f"{self.context.where}: not stopped {STOPS_WITHIN_S:.0f} s after"
                    f" {self._freezer.words}"
                )
            self._cpu_before = cpu_ms(self._freezer.process.pid)

    def freezer(self) -> Freezer:
        container = self.cluster.container(self.node)
        return BySignal(self.process) if container is None else ByPause(container)

    def end(self) -> None:
        self.acted = self._freezer.is_stopped()  # not if somebody else continued it
        after = cpu_ms(self._freezer.process.pid)
        self.figures["cpu_ms"] = 0.0
        if after is not None and self._cpu_before is not None:
            self.figures["cpu_ms"] = after - self._cpu_before
        self.window.end()
        self._freezer.go_on()
        await_true(lambda: not self._freezer.is_stopped(), STOPS_WITHIN_S)


def runs(_: PlannedFault, seen: RecordedFigures) -> str | None:
    """Say that a process got CPU time while it was to be stopped, or None."""
    cpu_ms = seen.figures.get("cpu_ms", 0.0)
    return None if cpu_ms <= MOST_CPU_MS else figure("cpu_ms", cpu_ms, f"at most {MOST_CPU_MS:g}")


KIND = FaultKind(
    spec=Freeze,
    words=KindWords(
        does="the process is stopped; only its clock goes on",
        mechanism="SIGSTOP; a container is paused",
        evidence="every thread stopped at both ends, no CPU time in between",
        notes="SIGCONT at the end. A container is paused by `docker pause`; then the freezer of its"
        " control group shows that it is stopped.",
    ),
    inject=FreezeFault,
    missing=runs,
    tags=Tags(
        alone=True, stops_process=True, stops_following=True, late_shrinks={"freeze": NOT_RUNNING}
    ),
)
