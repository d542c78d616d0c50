"""`power-failure`: a node ends at once and loses what it had not flushed; it is started again.

The process is killed, and the file system under its folders (`support/disk/unsynced.py`) takes
their files back to what was flushed of each. Evidence: that of the kill, and what was lost.
"""

from collections import Counter
from typing import Literal

from insync.events.run_info import PlannedFault
from insync.faults.kind import (
    STALLABLE,
    FaultKind,
    KindWords,
    RecordedFigures,
    Requirements,
    Tags,
    counted,
)
from insync.faults.kinds.kill import KillFault
from insync.faults.spec import OnProcess
from insync.faults.support.disk import passthrough
from insync.nodes import CONTROLLER_ID


class PowerFailure(OnProcess):
    """The process is killed, loses what it had not flushed, and is started again at the end."""

    kind: Literal["power-failure"]


class PowerFailureFault(KillFault):
    def prepare(self) -> None:
        """Count what was written before the workload as flushed: a kernel writes it back."""
        for folder in self.cluster.disks.tracked[self.context.broker]:
            folder.settle()

    def inject(self) -> None:
        super().inject()
        lost: Counter[str] = Counter()
        for folder in self.cluster.disks.tracked[self.context.broker]:
            lost.update(folder.fail_power())
        self.figures |= {f"lost_{name}": value for name, value in lost.items()}


def _missing(plan: PlannedFault, seen: RecordedFigures) -> str | None:
    # A controller flushes what it commits; what it loses is index pages.
    name = "lost_files" if plan.broker == CONTROLLER_ID else "lost_log_bytes"
    return counted(name)(plan, seen)


KIND = FaultKind(
    spec=PowerFailure,
    words=KindWords(
        does="the process ends at once, loses what it had not flushed, and is started again",
        mechanism="SIGKILL; the file system of disk-stall takes files back to what was flushed",
        evidence="the process was gone, and how many files and bytes were lost: `lost_files`,"
        " `lost_bytes`, `lost_log_bytes`, which must not be 0, and `lost_torn_files`",
        notes="See [Power failures](#power-failures).",
    ),
    probes={
        "local": lambda _: passthrough.unavailable(),
        "docker": lambda _: passthrough.unavailable(for_others=True),
    },
    inject=PowerFailureFault,
    requires=lambda _, __: Requirements(tracks_flushes=True),
    missing=_missing,
    tags=Tags(
        alone=True,
        kills=True,
        log_folder=STALLABLE,
        one_log_dir=True,
        stops_process=True,
        stops_following=True,
    ),
)
