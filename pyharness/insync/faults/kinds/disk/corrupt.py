"""`corrupt`: bytes of a broker's files of partitions are flipped on its disk.

The newest file that fits is changed in its middle, behind the broker's back, whether it runs or
not. Evidence: how many files were changed, and how many still are at the end: a broker that finds
an index broken makes a new one when it starts.
"""

import os
from fnmatch import fnmatch
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Tags, all_done, always
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_partitions
from insync.faults.support.control import MAX_FILES_BYTES
from insync.fields import Partitions

FLIPPED: Final = 0xFF


class Corrupt(Lasting):
    """Bytes of the newest file of each partition that `files` names are flipped."""

    kind: Literal["corrupt"]
    partitions: Partitions
    topic: OtherTopic | None = None
    files: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.*-]+$", max_length=MAX_FILES_BYTES)] = (
        "*.log"
    )
    count: Annotated[int, Field(ge=1, le=4_096)] = 16

    def check_within(self, around: Surroundings) -> None:
        check_partitions(self.partitions, around)


class CorruptFault(Fault[Corrupt]):
    def plan(self) -> None:
        self._changed: dict[Path, tuple[int, bytes]] = {}
        self.figures["asked"] = len(self.context.target)

    def inject(self) -> None:
        dirs = self.cluster.node(self.context.broker).data_dirs
        self.window.begin()
        for name in self.context.target:
            found = [each for dir_ in dirs for each in (dir_ / name).glob("*")]
            fitting = [each for each in found if fnmatch(each.name, self.spec.files)]
            filled = sorted((each for each in fitting if each.stat().st_size), key=lambda f: f.name)
            if filled:
                self._change(filled[-1])
        self.figures["changed"] = self.acted = len(self._changed)

    def end(self) -> None:
        """Count the files that are still changed; nothing is put right."""
        self.figures["still"] = sum(map(self._is_changed, self._changed))
        self.window.end()

    def _change(self, file: Path) -> None:
        with file.open("r+b", buffering=0) as opened:
            at = max(0, file.stat().st_size // 2 - self.spec.count)
            old = os.pread(opened.fileno(), self.spec.count, at)
            new = bytes(byte ^ FLIPPED for byte in old)
            os.pwrite(opened.fileno(), new, at)
            os.fsync(opened.fileno())
        self._changed[file] = (at, new)

    def _is_changed(self, file: Path) -> bool:
        at, new = self._changed[file]
        if not file.is_file():
            return False
        with file.open("rb") as opened:
            return os.pread(opened.fileno(), len(new), at) == new


KIND = FaultKind(
    spec=Corrupt,
    words=KindWords(
        does="bytes of the broker's files of partitions are flipped",
        mechanism="a write to the newest file that fits, in its middle",
        evidence="how many files were changed, and how many still are at the end",
        notes="`files` is a name with `*` for anything, such as `*.index`; of the broker's own"
        " segments, unless it says otherwise. `count` bytes are flipped. Records may be lost."
        " Beside a `kill` it changes the files of a stopped broker. Local clusters only.",
    ),
    probes={"local": always},
    inject=CorruptFault,
    missing=all_done("asked", "changed"),
    tags=Tags(outlasts_process=True, only_planned=True),
)
