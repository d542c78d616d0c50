"""`kill`: a node's process ends by SIGKILL, and is started again at the end.

Evidence: the process was gone, and for how long there was none.
"""

from typing import Literal

from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Tags
from insync.faults.spec import Lasting, OnAnyProcess


class Kill(OnAnyProcess):
    """The process is killed (SIGKILL), and started again at the end."""

    kind: Literal["kill"]


class KillFault(Fault[Lasting]):
    def inject(self) -> None:
        process = self.process
        if process.poll() is not None:
            raise InsyncError(f"{self.context.where}: its process ended before the kill")
        self.cluster.cluster.kill(self.node)
        self.window.begin()
        exit_code = process.poll()
        self.acted = exit_code is not None
        self.figures["signal"] = -(exit_code or 0)

    def end(self) -> None:
        self.window.end()
        self.cluster.cluster.restart(self.node)


KIND = FaultKind(
    spec=Kill,
    words=KindWords(
        does="the process ends at once, and is started again on the same data",
        mechanism="SIGKILL",
        evidence="the process was gone, and for how long",
        notes="It is started again in the same folder and at the same port.",
    ),
    inject=KillFault,
    tags=Tags(alone=True, kills=True, stops_process=True, stops_following=True),
)
