"""`disk-throttle`: what a broker reads from its disk and flushes to it is limited to a rate.

Its process is moved into a control group with limits on the disk of its log folder, whose
files are first dropped from the page cache: a broker that reads from the cache uses no disk.

Evidence: the bytes that the kernel let through. The time that these bytes take at the limit is
how long the fault acted at least.
"""

import os
from abc import abstractmethod
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import AnyLasting, Fault
from insync.faults.kind import OWN_DISK, FaultKind, KindWords, RecordedFigures, Tags, both
from insync.faults.spec import Lasting
from insync.faults.support.cgroups import Stay
from insync.faults.support.disk import blkio
from insync.faults.support.disk.blkio import Moved, Rates
from insync.fields import broken


class DiskThrottle(Lasting):
    """What the broker reads from its disk, and flushes to it, is limited to a rate."""

    intensity = ("read_bytes_per_s", "write_bytes_per_s")

    kind: Literal["disk-throttle"]
    read_bytes_per_s: Annotated[int, Field(ge=1)] | None = None
    write_bytes_per_s: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.read_bytes_per_s is None and self.write_bytes_per_s is None:
            raise broken("read_bytes_per_s", None, "it or write_bytes_per_s or both")
        return self


def evict(folder: Path) -> int:
    """Flush every file below `folder` and drop it from the page cache; return their bytes.

    Each file is flushed by itself: flushing all files of the machine would wait for a disk that
    hangs. Mapped files, such as Kafka's indexes, stay cached. Files removed meanwhile count 0.
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


class ThrottleFault(Fault[AnyLasting]):
    """The disk that holds one broker's log folders is slow.

    `evicts` says whether the log folder is dropped from the page cache first.
    """

    evicts = True
    _stay: Stay | None = None
    _disk = ""
    _before = Moved()
    _moved = Moved()
    _evicted = 0

    @property
    @abstractmethod
    def rates(self) -> Rates:
        """The limits."""

    @property
    def folder(self) -> Path:
        return self.cluster.node(self.context.broker).data_dir

    def inject(self) -> None:
        pid = self.process.pid
        try:
            parent, self._disk = blkio.place(self.folder)
            self._evicted = evict(self.folder) if self.evicts else 0
            limits = blkio.limits(self._disk, self.rates)
            self.window.begin()
            self._stay = Stay.begin(pid, parent, f"disk-{self.context.broker}", limits)
            self._before = blkio.moved(self._stay.group, self._disk)
        except OSError as error:
            raise InsyncError(f"{self.context.where}: not throttled: {error}") from error

    def lift(self) -> None:
        stay, self._stay = self._stay, None
        if stay is None:
            return
        with suppress(OSError):
            self._moved = blkio.moved(stay.group, self._disk).since(self._before)
            blkio.free(stay.group, self._disk)
        try:
            stay.end()
        finally:
            self.window.end()

    def evidence(self) -> FaultLine:
        """Return the bytes that passed, and how long they took at least at the limit."""
        moved, rates = self._moved, self.rates
        limited = [
            passed / rate
            for passed, rate in ((moved.read, rates.read), (moved.written, rates.write))
            if rate is not None
        ]
        acted_ms = min(max(limited) * 1000, self.window.length_ms)
        self.figures["read_bytes"] = moved.read
        self.figures["written_bytes"] = moved.written
        self.figures["evicted_bytes"] = self._evicted
        return self.line(acted_ms, self.figures)


class DiskThrottleFault(ThrottleFault[DiskThrottle]):
    @property
    def rates(self) -> Rates:
        return Rates(self.spec.read_bytes_per_s, self.spec.write_bytes_per_s)


def _missing(_: PlannedFault, seen: RecordedFigures) -> str | None:
    if seen.figures.get("read_bytes") or seen.figures.get("written_bytes"):
        return None
    return "read_bytes and written_bytes were 0, expected reads that miss the page cache, or fsyncs"


KIND = FaultKind(
    spec=DiskThrottle,
    words=KindWords(
        does="what the broker reads from its disk, and flushes to it, is limited to a rate",
        mechanism="control group (blkio, io), page cache evicted first",
        evidence="the bytes that the kernel let through: at the limit they take so long at least",
        notes="`read_bytes_per_s`, `write_bytes_per_s` or both. The limits (blkio, in cgroup v2 io)"
        " are on the disk of the log folder, whose files are first dropped from the page cache.",
    ),
    probes=both(blkio.unavailable),
    inject=DiskThrottleFault,
    missing=_missing,
    tags=Tags(regroups=True, log_folder=OWN_DISK, one_log_dir=True),
)
