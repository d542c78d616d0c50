"""`freeze`: a node's process is stopped, with every thread, and continues at the end.

A process of this host is stopped by a signal, a container is paused (`support/freezer.py`).
Evidence: it is stopped at the beginning and at the end, and got no CPU time in between. Its times
are those between which it provably did nothing, so that no answer of it can be between them.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window, await_true
from insync.faults.cluster import FaultCluster
from insync.faults.kind import NOT_RUNNING, FaultKind, Recorded, Tags, Words, always, both, figure
from insync.faults.spec import OnProcess
from insync.faults.support.freezer import ByPause, BySignal, Freezer
from insync.faults.support.procfs import cpu_ms

STOPS_WITHIN_S = 2.0
MOST_CPU_MS: Final = 100.0
"""CPU time of a frozen process: threads that were about to stop; a running broker has more."""


class Freeze(OnProcess):
    """The process is stopped (SIGSTOP) and continues at the end."""

    kind: Literal["freeze"]


class FreezeFault:
    """A `Fault`: one node is stopped."""

    def __init__(self, freezer: Callable[[], Freezer], context: FaultContext) -> None:
        """Plan it; `freezer` returns the one for the process that runs when the fault begins."""
        self._make_freezer = freezer
        self._context = context
        self._window = Window()
        self._freezer: Freezer
        self._cpu_before: float | None = None
        self._cpu_ms = 0.0
        self._still_stopped = False

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Stop the process; raises InsyncError if it does not stop."""
        self._freezer = self._make_freezer()
        with self._window.beginning(undo=self._freezer.go_on):
            self._freezer.stop()
            if not await_true(self._freezer.is_stopped, STOPS_WITHIN_S):
                raise InsyncError(
                    f"{self._context.where}: not stopped {STOPS_WITHIN_S:.0f} s after"
                    f" {self._freezer.words}"
                )
            self._cpu_before = cpu_ms(self._freezer.pid)

    def lift(self) -> None:
        """Continue the process."""
        if not self._window.is_open:
            return
        self._still_stopped = self._freezer.is_stopped()
        after = cpu_ms(self._freezer.pid)
        if after is not None and self._cpu_before is not None:
            self._cpu_ms = after - self._cpu_before
        self._window.end()
        self._freezer.go_on()
        await_true(lambda: not self._freezer.is_stopped(), STOPS_WITHIN_S)

    def evidence(self) -> FaultLine:
        """Return how long the process was stopped; 0 if somebody else continued it."""
        acted_ms = self._window.length_ms if self._still_stopped else 0.0
        return self._window.line(self._context, acted_ms, {"cpu_ms": self._cpu_ms})


def _inject(spec: Freeze, context: FaultContext, cluster: FaultCluster) -> Fault:
    return FreezeFault(partial(_freezer, cluster, spec.broker), context)


def _freezer(cluster: FaultCluster, node: int) -> Freezer:
    container = cluster.container(node)
    return BySignal(cluster.process(node)) if container is None else ByPause(container)


def _missing(_: PlannedFault, seen: Recorded) -> str | None:
    cpu_ms = seen.figures.get("cpu_ms", 0.0)
    return None if cpu_ms <= MOST_CPU_MS else figure("cpu_ms", cpu_ms, f"at most {MOST_CPU_MS:g}")


KIND = FaultKind(
    spec=Freeze,
    words=Words(
        does="the process is stopped; only its clock goes on",
        mechanism="SIGSTOP; a container is paused",
        evidence="every thread stopped at both ends, no CPU time in between",
        notes="SIGCONT at the end. A container is paused by `docker pause`; then the freezer of its"
        " control group shows that it is stopped.",
    ),
    probes=both(always),
    inject=_inject,
    missing=_missing,
    tags=Tags(
        alone=True, stops_process=True, stops_following=True, late_shrinks={"freeze": NOT_RUNNING}
    ),
)
