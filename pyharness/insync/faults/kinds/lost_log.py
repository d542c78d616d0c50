"""`lost-log`: a broker is killed, loses its log of the topic, and is started again.

A broker whose disk was replaced comes back like this, and a replica that a reassignment adds
begins like this: it has everything to fetch. Evidence: that of the kill, and how many bytes
were removed.
"""

import shutil
from typing import Literal

from insync.faults.kind import FaultKind, KindWords, Tags, always, counted
from insync.faults.kinds.kill import KillFault
from insync.faults.spec import Lasting


class LostLog(Lasting):
    """The process is killed and started again at the end, without its log of the partitions."""

    kind: Literal["lost-log"]


class LostLogFault(KillFault):
    def inject(self) -> None:
        super().inject()
        self.figures["removed_bytes"] = 0.0
        data = self.cluster.node(self.context.broker).data_dir
        for folder in data.glob(f"{self.context.topic}-[0-9]*"):
            self.figures["removed_bytes"] += sum(log.stat().st_size for log in folder.glob("*.log"))
            shutil.rmtree(folder)


KIND = FaultKind(
    spec=LostLog,
    words=KindWords(
        does="the process ends at once, and is started again without the log of its partitions",
        mechanism="SIGKILL, and the partitions' folders are removed",
        evidence="the process was gone, and the bytes that were removed",
        notes="A replaced disk, or a new member of an assignment. Local clusters only: a container"
        " that was killed keeps its files to itself.",
    ),
    probes={"local": always},
    inject=LostLogFault,
    missing=counted("removed_bytes"),
    tags=Tags(alone=True, kills=True, one_log_dir=True, stops_process=True, stops_following=True),
)
