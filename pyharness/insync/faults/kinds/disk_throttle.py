"""The throttled disk: what a broker reads from its disk and flushes to it is held to a rate.

Its process is moved into a control group with limits on the disk of its log folder, whose
files leave the page cache first: a broker that finds what it needs there uses no disk.

Evidence: the bytes that the kernel let through. Moving so many at the limit takes so long at
least: that is how long the fault acted.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window
from insync.faults.support.cgroup_places import Parent
from insync.faults.support.cgroups import Stay
from insync.faults.support.disk import blkio
from insync.faults.support.disk.blkio import Moved, Rates
from insync.running import Running


def evict(folder: Path) -> int:
    """Flush every file below `folder` and drop it from the page cache; return their bytes.

    File by file: flushing all of the machine's would wait for a disk that hangs. What is
    mapped, as Kafka's indexes are, stays where it is. Files that go away meanwhile are none.
    """
    return sum(_evict(Path(root) / name) for root, _, names in os.walk(folder) for name in names)


def _evict(file: Path) -> int:
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except FileNotFoundError:
        return 0
    try:
        os.fdatasync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


class DiskThrottleFault:
    """A `Fault`: one broker's disk is slow."""

    def __init__(
        self, process: Callable[[], Running], folder: Path, rates: Rates, occasion: Occasion
    ) -> None:
        """Plan it on the disk that `folder` is on, which holds the broker's log folders."""
        self._process = process
        self._folder = folder
        self._rates = rates
        self._occasion = occasion
        self._window = Window()
        self._stay: Stay | None = None
        self._disk = ""
        self._moved = Moved()
        self._evicted = 0

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Put the process into a group with the limits; raises InsyncError if that fails."""
        pid = self._process().pid
        try:
            parent = self._place()
            self._evicted = evict(self._folder)
            limits = blkio.limits(self._disk, self._rates)
            self._window.begin()
            self._stay = Stay.begin(pid, parent, f"disk-{self._occasion.broker}", limits)
        except OSError as error:
            raise InsyncError(f"broker {self._occasion.broker}: not throttled: {error}") from error

    def lift(self) -> None:
        """Put the process back where it was and remove the group."""
        stay, self._stay = self._stay, None
        if stay is None:
            return
        with suppress(OSError):
            self._moved = blkio.moved(stay.group, self._disk)
        try:
            stay.end()
        finally:
            self._window.end()

    def evidence(self) -> FaultLine:
        """Return what was moved, and how long that took at the limit at least."""
        limited = [
            moved / rate
            for moved, rate in (
                (self._moved.read, self._rates.read), (self._moved.written, self._rates.write),
            )
            if rate is not None
        ]  # fmt: skip
        acted_ms = min(max(limited) * 1000, self._window.length_ms)
        figures = {
            "read_bytes": float(self._moved.read),
            "written_bytes": float(self._moved.written),
            "evicted_bytes": float(self._evicted),
        }
        return self._window.line(self._occasion, acted_ms, figures)

    def _place(self) -> Parent:
        disk = blkio.disk_of(self._folder)
        found = f"{self._folder} is on none" if disk is None else blkio.place(disk)
        if disk is None or not isinstance(found, Parent):
            raise InsyncError(f"no disk can be throttled: {found}")
        self._disk = disk
        return found
