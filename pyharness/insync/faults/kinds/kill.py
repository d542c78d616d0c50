"""`kill`: a node's process ends by SIGKILL, and is started again at the end.

Evidence: the process was gone, and for how long there was none.
"""

from collections.abc import Callable
from functools import partial
from typing import Literal

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Tags, Words, always, both
from insync.faults.spec import OnProcess, Planned
from insync.running import Running


class Kill(OnProcess):
    """The process is killed (SIGKILL), and started again at the end."""

    kind: Literal["kill"]


class KillFault:
    """A `Fault`: one node is killed and restarted."""

    def __init__(
        self,
        process: Callable[[], Running],
        kill: Callable[[], None],
        restart: Callable[[], object],
        context: FaultContext,
    ) -> None:
        """Plan it; `kill` returns when the process has ended, `restart` when a new one runs."""
        self._process = process
        self._kill = kill
        self._restart = restart
        self._context = context
        self._window = Window()
        self._exit_code: int | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Kill the process; raises InsyncError if it has ended by itself before."""
        process = self._process()
        if process.poll() is not None:
            raise InsyncError(f"{self._context.where}: its process ended before the kill")
        self._kill()
        self._window.begin()
        self._exit_code = process.poll()

    def lift(self) -> None:
        """Start the node again, in its own folder and at its own port; it is ready later."""
        if not self._window.is_open:
            return
        self._window.end()
        self._restart()

    def evidence(self) -> FaultLine:
        """Return how long there was no process, and the signal that ended the old one."""
        gone = self._exit_code is not None
        figures = {"signal": float(-(self._exit_code or 0))}
        return self._window.line(self._context, self._window.length_ms if gone else 0.0, figures)


def killed(spec: Planned, context: FaultContext, cluster: FaultCluster) -> Fault:
    """Return the kill of a spec's node."""
    return KillFault(
        partial(cluster.process, spec.broker),
        partial(cluster.kill, spec.broker),
        partial(cluster.restart, spec.broker),
        context,
    )


KIND = FaultKind(
    spec=Kill,
    words=Words(
        does="the process ends at once, and is started again on the same data",
        mechanism="SIGKILL",
        evidence="the process was gone, and for how long",
        notes="It is started again in the same folder and at the same port.",
    ),
    probes=both(always),
    inject=killed,
    tags=Tags(alone=True, kills=True, stops_process=True, stops_following=True),
)
