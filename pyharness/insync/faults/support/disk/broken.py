"""A volume under a broker's log folder that refuses writes, for `disk-full` and `disk-read-only`.

A broker whose only log folder fails ends itself: Kafka is designed so. At its end the fault
repairs the volume and starts such a broker again. Between the failed write and the broker's end
may be seconds, if the broker is just starting or the machine is busy. The broker's log says
that its folder has failed, so such a broker is waited for. A broker with several log folders loses
the first one, and serves what is on the others; it looks at the lost one again when it starts, so
at the end it is killed and started.

Evidence: the error that a write to the volume returns, at the beginning and at the end.
"""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import AnyLasting, Fault, await_true
from insync.faults.kind import RecordedFigures, figure
from insync.faults.spec import Lasting
from insync.faults.support.disk.volume import Volume

ENDS_WITHIN_S: Final = 1.0
"""A broker that meets the error ends itself at once, or writes that its folder has failed."""
FAILED_ENDS_WITHIN_S: Final = 30.0
FAILED: Final = "LogDirFailureChannel"
"""The logger to which Kafka writes that a log folder has failed, of 2.8 to 4.4."""
LOOKS: Final = 2
"""How often a write to the failed disk is tried: at the beginning and at the end."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a volume fails.

    Args:
        refusal: the error that a write returns.
        fail: makes the volume fail.
        repair: undoes it.
        outlived: whether it can be repaired while the broker still runs.

    """

    refusal: int
    fail: Callable[[Volume], None]
    repair: Callable[[Volume], None]
    outlived: bool


FULL: Final = Way(errno.ENOSPC, Volume.fill, Volume.clear, outlived=True)
READ_ONLY: Final = Way(errno.EROFS, Volume.abort, Volume.renew, outlived=False)


class LostFolderFault(Fault[AnyLasting]):
    def plan(self) -> None:
        self._log = self.cluster.node(self.spec.broker).log
        self._logged = 0
        self._ended = False
        self._offline = False

    def mark(self) -> None:
        """Count only what the broker writes from now on."""
        self._logged = self._log.stat().st_size if self._log.is_file() else 0

    def end_with(self, repair: Callable[[], object], *, outlived: bool) -> None:
        """Repair the folder, and start the broker again if it has ended; it is ready later.

        One that has not is killed first, if it lost one of several folders, or if the folder
        cannot be repaired while it runs (not `outlived`).
        """
        self.window.end()
        self._ended, self._offline = self._has_ended(), self._has_failed()
        lost = self._offline and len(self.cluster.node(self.context.broker).data_dirs) > 1
        killed = not self._ended and (lost or not outlived)
        if killed:
            self.cluster.cluster.kill(self.context.broker)
        try:
            repair()
        except OSError as error:
            raise InsyncError(f"{self.context.where}: {error}") from error
        if self._ends():
            self._ended = not killed
            self.cluster.cluster.restart(self.context.broker)

    @property
    def lost(self) -> dict[str, float]:
        """Whether the broker ended, and whether it wrote that its folder has failed: `offline`."""
        return {"ended": self._ended, "offline": self._offline}

    def _ends(self) -> bool:
        """Whether the process has ended, or does so because its folder has failed."""
        await_true(lambda: self._has_ended() or self._has_failed(), ENDS_WITHIN_S)
        within_s = FAILED_ENDS_WITHIN_S if self._has_failed() else 0.0
        return await_true(self._has_ended, within_s)

    def _has_failed(self) -> bool:
        """Whether the process wrote, since the fault began, that its folder has failed."""
        if not self._log.is_file():
            return False
        with self._log.open("rb") as log:
            log.seek(self._logged)
            return FAILED.encode() in log.read()

    def _has_ended(self) -> bool:
        return self.process.poll() is not None


class BrokenDiskFault(LostFolderFault[Lasting]):
    way: ClassVar[Way]

    def plan(self) -> None:
        super().plan()
        self._volume = self.cluster.disks.volumes[self.spec.broker]

    def inject(self) -> None:
        self.mark()
        self.window.begin()
        try:
            self.way.fail(self._volume)
        except OSError as error:
            raise InsyncError(f"{self.context.where}: {error}") from error
        self._look()

    def end(self) -> None:
        """Repair the volume and start the broker again if it has ended, or lost the folder."""
        self._look()
        self.end_with(lambda: self.way.repair(self._volume), outlived=self.way.outlived)
        self.figures |= self.lost
        self.acted = self.figures["refused"] == LOOKS

    def _look(self) -> None:
        refused = self._volume.refusal() == self.way.refusal
        self.figures["refused"] = self.figures.get("refused", 0) + refused
        self.figures["free_bytes"] = self._volume.free_bytes


def took_writes(_: PlannedFault, seen: RecordedFigures) -> str | None:
    """Say that the disk took a write, if it did."""
    refused = seen.figures.get("refused", 0.0)
    return None if refused == LOOKS else figure("refused", refused, f"exactly {LOOKS}")
