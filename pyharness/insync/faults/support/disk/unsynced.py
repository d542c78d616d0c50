"""Remembers what files had when they were last flushed, and takes them back to that.

The file system under a log folder calls it before each change. What a file had is kept as its
length, and as the old bytes of pages that were overwritten since: logs only grow, so that it is
little. Names are not kept: a new, renamed or removed file stays so, whether or not its folder was
flushed.
"""

import os
import threading
from dataclasses import dataclass, field
from typing import Final

PAGE: Final = 4096
_LOG: Final = ".log"


@dataclass(slots=True)
class _Flushed:
    """A file as it was flushed: its length then, and its pages that were overwritten since."""

    size: int
    pages: dict[int, bytes] = field(default_factory=dict)
    first_append: int = 0


@dataclass(slots=True)
class RolledBack:
    """What a power failure took: files that went back, and their bytes.

    Attributes:
        files: files that are now shorter, or other, than they were.
        bytes: how much they lost.
        log_bytes: how much of that was in segments of logs.
        torn_files: logs that keep the first half of a write.

    """

    files: int = 0
    bytes: int = 0
    log_bytes: int = 0
    torn_files: int = 0


class Unsynced:
    """The changes to a folder's files since each was flushed; by inode, for all threads."""

    def __init__(self) -> None:
        self._files: dict[int, _Flushed] = {}
        self._lock = threading.Lock()

    def made(self, file: int) -> None:
        """Record a new file, by its descriptor: nothing of it was flushed."""
        with self._lock:
            self._files[os.fstat(file).st_ino] = _Flushed(0)

    def write(self, file: int, data: bytes, offset: int) -> int:
        """Write to a file, and keep what was flushed of it; return the bytes written."""
        with self._lock:
            flushed = self._keep(file, offset, offset + len(data))
            if not flushed.first_append and offset == flushed.size:
                flushed.first_append = len(data)
            return os.pwrite(file, data, offset)

    def resize(self, file: int, length: int) -> None:
        """Set a file's length, and keep what was flushed of the rest."""
        with self._lock:
            self._keep(file, length, max(length, os.fstat(file).st_size))
            os.ftruncate(file, length)

    def flush(self, file: int, *, data_only: bool) -> None:
        """Flush a file: what it has now is what it goes back to."""
        with self._lock:
            self._files.pop(os.fstat(file).st_ino, None)
        (os.fdatasync if data_only else os.fsync)(file)

    def settle(self) -> None:
        """Count everything that was written so far as flushed."""
        with self._lock:
            self._files.clear()

    def fail(self, folder: str) -> RolledBack:
        """Take every file below a folder back to what was flushed of it.

        A log keeps the first half of the first write since, as of a write that was cut short.
        """
        lost = RolledBack()
        with self._lock:
            for here, _, names in os.walk(folder):
                for name in names:
                    self._take_back(os.path.join(here, name), lost)  # noqa: PTH118 - many files
            self._files.clear()
        return lost

    def _keep(self, file: int, start: int, end: int) -> _Flushed:
        """Keep the flushed bytes of a file between two offsets, which are about to change."""
        status = os.fstat(file)
        flushed = self._files.setdefault(status.st_ino, _Flushed(status.st_size))
        for page in range(start // PAGE, -(-min(end, flushed.size) // PAGE)):
            if page not in flushed.pages:
                old = os.pread(file, PAGE, page * PAGE)
                flushed.pages[page] = old[: flushed.size - page * PAGE]
        return flushed

    def _take_back(self, path: str, lost: RolledBack) -> None:
        status = os.lstat(path)
        flushed = self._files.get(status.st_ino)
        if flushed is None:
            return
        torn = flushed.first_append // 2 if path.endswith(_LOG) else 0
        length = min(flushed.size + torn, max(status.st_size, flushed.size))
        file = os.open(path, os.O_RDWR)
        try:
            changed = sum(self._restored(file, page, old) for page, old in flushed.pages.items())
            os.ftruncate(file, length)
            os.fsync(file)
        finally:
            os.close(file)
        gone = changed + max(0, status.st_size - length)
        lost.files += gone > 0
        lost.bytes += gone
        lost.log_bytes += gone if path.endswith(_LOG) else 0
        lost.torn_files += length > flushed.size

    @staticmethod
    def _restored(file: int, page: int, old: bytes) -> int:
        """Write a page's old bytes; return how many that are, 0 if they are there already."""
        if os.pread(file, len(old), page * PAGE) == old:
            return 0
        os.pwrite(file, old, page * PAGE)
        return len(old)
