"""The file system behind a log folder that can be stalled: it shows the folder's own files.

Runs as a process: `python -m` this module, with FOLDER CONTROL SOURCE [everybody] [tracked].
It is mounted over the folder whose files it shows, so that these are in place again when it
ends. Log files bypass the kernel's page cache (`direct_io`): with the cache, recent writes
would be read without a call of this file system. All other files use the cache, because a file
without it cannot be mapped, and Kafka maps its indexes.

If it is tracked, it knows what was flushed, and forgets the rest when the power fails: the harness
says so by an extended attribute of the folder.
"""

import errno
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from mfusepy import FUSE, Operations, fuse_get_context, fuse_version_minor

from insync.faults.support.control import Site
from insync.faults.support.disk import mounts
from insync.faults.support.disk.gate import Gate
from insync.faults.support.disk.passthrough import FAIL, POWER, SETTLE, lost_of
from insync.faults.support.disk.unsynced import Unsynced

THREADS: Final = 64  # as many operations can be stalled while others go on
IDLE_THREADS: Final = 10
_HIDDEN: Final = ".fuse_hidden"  # libfuse's name for a file that is deleted while it is open
_NOW: Final = (1 << 30) - 1  # utimensat's words for a time
_OMIT: Final = (1 << 30) - 2
_STATUS: Final = ("st_mode", "st_nlink", "st_uid", "st_gid", "st_size", "st_ino", "st_blocks")
_SPACE: Final = ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree",
                 "f_favail", "f_namemax")  # fmt: skip


def _change(call: Callable[..., None]) -> Callable[..., None]:
    """Return the operation that does a system call on a file once it has passed the gate."""

    def changed(self: "GatedFolder", path: str, *how: int) -> None:
        self._gate.enter(Site.WRITE)
        call(_below(path), *how)

    return changed


class GatedFolder(Operations):  # type: ignore[misc]  # mfusepy publishes no types
    """Does every operation on the covered folder, after it passed the gate.

    Reading bytes is a read, flushing them an fsync, and every change a write. Looking up names
    and sizes is none of these: a kernel has cached those of a disk that hangs.
    """

    use_ns = True

    def __init__(self, folder: int, gate: Gate, unsynced: Unsynced | None, lost: Path) -> None:
        """`folder` is a descriptor of the folder, opened before it was covered.

        `lost` is the file for what a power failure took; without `unsynced` there is none.
        """
        self._folder = folder
        self._gate = gate
        self._unsynced = unsynced
        self._lost = lost
        self._chowns = os.geteuid() == 0

    def init(self, path: str) -> None:
        """Begin: from here on, relative paths are those of the covered folder."""
        os.fchdir(self._folder)
        self._gate.attach()

    def getattr(self, path: str, fh: Any = None) -> dict[str, int]:
        status = os.lstat(_below(path))
        found = {name: getattr(status, name) for name in _STATUS}
        for name in ("st_atime", "st_mtime", "st_ctime"):
            found[name] = getattr(status, f"{name}_ns")
        return found

    def statfs(self, path: str) -> dict[str, int]:
        space = os.fstatvfs(self._folder)
        return {name: getattr(space, name) for name in _SPACE}

    def readdir(self, path: str, fh: int) -> Iterator[tuple[str, dict[str, int], int]]:
        """Yield the entries of a folder: names, kinds and inodes (without one, none is shown)."""
        here = os.stat(_below(path))
        for name in (".", ".."):
            yield name, {"st_ino": here.st_ino, "st_mode": here.st_mode}, 0
        with os.scandir(_below(path)) as entries:
            for entry in entries:
                if not entry.name.startswith(_HIDDEN):
                    yield entry.name, {"st_ino": entry.inode(), "st_mode": _kind(entry)}, 0

    def open(self, path: str, fi: Any) -> int:
        flags = self._flags(fi.flags)
        if fi.flags & os.O_TRUNC:
            self._gate.enter(Site.WRITE)
            if self._unsynced is not None:
                self.truncate(path, 0)
        fi.fh = os.open(_below(path), flags)
        fi.direct_io = path.endswith(".log")
        return 0

    def create(self, path: str, mode: int, fi: Any) -> int:
        self._gate.enter(Site.WRITE)
        fi.fh = os.open(_below(path), self._flags(fi.flags) | os.O_CREAT, mode)
        if self._unsynced is not None:
            self._unsynced.made(fi.fh)
        self._give(path)
        fi.direct_io = path.endswith(".log")
        return 0

    def read(self, path: str, size: int, offset: int, fi: Any) -> bytes:
        self._gate.enter(Site.READ)
        return os.pread(fi.fh, size, offset)

    def write(self, path: str, data: bytes, offset: int, fi: Any) -> int:
        self._gate.enter(Site.WRITE)
        if self._unsynced is not None:
            return self._unsynced.write(fi.fh, data, offset)
        return os.pwrite(fi.fh, data, offset)

    def fsync(self, path: str, datasync: int, fi: Any) -> None:
        self._gate.enter(Site.FSYNC)
        if self._unsynced is not None:
            self._unsynced.flush(fi.fh, data_only=bool(datasync))
        else:
            (os.fdatasync if datasync else os.fsync)(fi.fh)

    def fsyncdir(self, path: str, datasync: int, fh: int) -> None:
        self._gate.enter(Site.FSYNC)
        folder = os.open(_below(path), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def release(self, path: str, fi: Any) -> None:
        os.close(fi.fh)

    def truncate(self, path: str, length: int, fh: Any = None) -> None:
        self._gate.enter(Site.WRITE)
        if self._unsynced is None:
            os.truncate(_below(path) if fh is None else fh.fh, length)
            return
        file = os.open(_below(path), os.O_RDWR) if fh is None else fh.fh
        try:
            self._unsynced.resize(file, length)
        finally:
            if fh is None:
                os.close(file)

    def fallocate(self, path: str, mode: int, offset: int, size: int, fi: Any) -> None:
        """Set blocks aside for a file."""
        if mode != 0:  # holes and the like
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))
        self._gate.enter(Site.WRITE)
        if self._unsynced is not None:
            self._unsynced.resize(fi.fh, max(os.fstat(fi.fh).st_size, offset + size))
        os.posix_fallocate(fi.fh, offset, size)

    def mkdir(self, path: str, mode: int) -> None:
        self._gate.enter(Site.WRITE)
        os.mkdir(_below(path), mode)
        self._give(path)

    rmdir, unlink = _change(os.rmdir), _change(os.unlink)
    chmod, chown = _change(os.chmod), _change(os.lchown)

    def rename(self, old: str, new: str) -> None:
        self._gate.enter(Site.WRITE)
        os.rename(_below(old), _below(new))

    def link(self, target: str, source: str) -> None:
        self._gate.enter(Site.WRITE)
        os.link(_below(source), _below(target))

    def symlink(self, target: str, source: str) -> None:
        self._gate.enter(Site.WRITE)
        os.symlink(source, _below(target))
        self._give(target)

    def readlink(self, path: str) -> str:
        return os.readlink(_below(path))

    def utimens(self, path: str, times: tuple[int, int] | None = None) -> None:
        self._gate.enter(Site.WRITE)
        below = _below(path)
        seen = os.lstat(below)
        atime, mtime = times or (_NOW, _NOW)
        asked = (_time(atime, seen.st_atime_ns), _time(mtime, seen.st_mtime_ns))
        os.utime(below, ns=asked, follow_symlinks=False)

    def setxattr(self, path: str, name: str, value: bytes, options: int, position: int = 0) -> None:
        """Let the power fail, or count all that was written as flushed; nothing else is kept."""
        if self._unsynced is None or (path, name) != ("/", POWER):
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        if value == FAIL:
            self._lost.write_text(json.dumps(asdict(self._unsynced.fail("."))), encoding="utf-8")
        elif value == SETTLE:
            self._unsynced.settle()

    def _flags(self, asked: int) -> int:
        """Return the flags by which a file is opened below."""
        # The kernel knows where an append goes, and buffers here are not aligned.
        flags = asked & ~(os.O_APPEND | os.O_DIRECT)
        if self._unsynced is not None and flags & os.O_ACCMODE == os.O_WRONLY:
            return flags & ~os.O_ACCMODE | os.O_RDWR  # what is overwritten is read before
        return flags

    def _give(self, path: str) -> None:
        """Make the caller the owner of a new file, where it is another user and this is allowed."""
        uid, gid, _ = fuse_get_context()
        if self._chowns and (uid, gid) != (0, 0):
            os.lchown(_below(path), uid, gid)


def _below(path: str) -> str:
    return f".{path}"


def _kind(entry: os.DirEntry[str]) -> int:
    if entry.is_symlink():
        return stat.S_IFLNK
    return stat.S_IFDIR if entry.is_dir() else stat.S_IFREG


def _time(asked: int, present: int) -> int:
    if asked == _OMIT:
        return present
    return time.time_ns() if asked == _NOW else asked


def serve(
    folder: Path, control: Path, source: str, *, everybody: bool, tracked: bool = False
) -> None:
    """Cover `folder` until it is unmounted; `source` is its name in the mount table.

    `everybody`: other users see it, too. `tracked`: its power can fail.
    """
    os.umask(0)  # the kernel has applied the caller's umask already
    options: dict[str, Any] = {"allow_other": True} if everybody else {}
    if fuse_version_minor >= 12:  # older libfuse makes as many threads as it needs
        options |= {"max_threads": THREADS, "max_idle_threads": IDLE_THREADS}
    if tracked:  # files change under the kernel, which must not remember their lengths
        options |= {"attr_timeout": 0, "entry_timeout": 0}
    source = f"{source}-{os.getpid()}"
    _unmount_when_ended(source)
    covered = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    FUSE(
        GatedFolder(covered, Gate(control), Unsynced() if tracked else None, lost_of(control)),
        str(folder), raw_fi=True, foreground=True,
        fsname=source, subtype="insync", use_ino=True, **options,
    )  # fmt: skip


def _unmount_when_ended(source: str) -> None:
    """Fork a process that removes the mount of this source once this process has ended.

    libfuse's own auto_unmount looks once, by opening the folder. A process that is killed closes
    /dev/fuse after other files; until then that call hangs, and fails otherwise than expected.
    """
    reading, writing = os.pipe()
    if os.fork() != 0:
        os.close(reading)  # the other end stays open for as long as this process lives
        return
    try:
        os.close(writing)
        os.setsid()
        os.read(reading, 1)
        mounts.remove(source)
    finally:
        os._exit(0)


if __name__ == "__main__":
    folder, control, source, *more = sys.argv[1:]
    serve(
        Path(folder), Path(control), source, everybody="everybody" in more,
        tracked="tracked" in more,
    )  # fmt: skip
