"""`lost-log`: a broker is killed, loses its log of the topic, and is started again.

A broker whose disk was replaced comes back like this, and a replica that a reassignment adds
begins like this: it has everything to fetch. Evidence: that of the kill, and how many bytes
were removed.
"""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Literal

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext
from insync.faults.cluster import FaultCluster
from insync.faults.kind import FaultKind, Recorded, Tags, Words, always, figure
from insync.faults.kinds.kill import killed
from insync.faults.spec import Lasting


class LostLog(Lasting):
    """The process is killed and started again at the end, without its log of the partitions."""

    kind: Literal["lost-log"]


class LostLogFault:
    """A `Fault`: a kill, after which the broker's log of a topic is removed."""

    def __init__(self, kill: Fault, data: Path, topic: str) -> None:
        """Plan it around a planned `kill`; `data` is the folder of the broker's partitions."""
        self._kill = kill
        self._data = data
        self._topic = topic
        self._removed = 0

    def prepare(self) -> None:
        """Prepare the kill."""
        self._kill.prepare()

    def inject(self) -> None:
        """Kill the broker and remove its log of the topic."""
        self._kill.inject()
        for folder in self._data.glob(f"{self._topic}-[0-9]*"):
            self._removed += sum(log.stat().st_size for log in folder.glob("*.log"))
            shutil.rmtree(folder)

    def lift(self) -> None:
        """Start the broker again, without that log."""
        self._kill.lift()

    def evidence(self) -> FaultLine:
        """Return the kill's evidence and the bytes of records that were removed."""
        line = self._kill.evidence()
        return replace(line, figures={**line.figures, "removed_bytes": float(self._removed)})


def _inject(spec: LostLog, context: FaultContext, cluster: FaultCluster) -> Fault:
    kill = killed(spec, context, cluster)
    return LostLogFault(kill, cluster.data_dir(spec.broker), context.topic)


def _missing(_: PlannedFault, seen: Recorded) -> str | None:
    removed = seen.figures.get("removed_bytes", 0.0)
    return None if removed else figure("removed_bytes", removed, "more than 0")


KIND = FaultKind(
    spec=LostLog,
    words=Words(
        does="the process ends at once, and is started again without the log of its partitions",
        mechanism="SIGKILL, and the partitions' folders are removed",
        evidence="the process was gone, and the bytes that were removed",
        notes="A replaced disk, or a new member of an assignment. Local clusters only: a container"
        " that was killed keeps its files to itself.",
    ),
    probes={"local": always},
    inject=_inject,
    missing=_missing,
    tags=Tags(alone=True, kills=True, one_log_dir=True, stops_process=True, stops_following=True),
)
