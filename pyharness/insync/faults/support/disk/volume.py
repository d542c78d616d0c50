"""Makes a small volume for one broker's log folder: ext4 in a file, on a loop device.

A fault of it affects no other disk of the machine, and its errors are the kernel's.
"""

import errno
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import await_true, refusal
from insync.faults.support.disk import mounts
from insync.owner import mine

BYTES: Final = 256 << 20  # room for some minutes of a workload; the file is sparse
BLOCK: Final = 4096
BALLAST: Final = ".insync-ballast"
PROBE: Final = ".insync-probe"
RELEASED_WITHIN_S: Final = 5.0
_PROBED_BYTES: Final = 8 << 20
_LOOPS: Final = Path("/dev/loop-control")


def unavailable() -> str | None:
    """Return why no volume can be mounted here, or None; tries it with a small one."""
    why = None
    if os.geteuid() != 0:
        why = "mounting one needs root"
    elif shutil.which("mkfs.ext4") is None:
        why = "no mkfs.ext4 on the PATH (apt-get install e2fsprogs)"
    elif not _LOOPS.exists():
        why = f"no {_LOOPS}"
    else:
        why = _try()
    return None if why is None else f"no volume can be put under a log folder: {why}"


class Volume:
    """A mounted volume; the one who makes it unmounts it when its users have ended."""

    def __init__(self, folder: Path, image: Path) -> None:
        self.folder = folder
        self._image = image

    @classmethod
    def make(cls, folder: Path, home: Path, size: int = BYTES) -> "Volume":
        """Mount a new volume at `folder`, which must exist; its file is made in `home`.

        Raises InsyncError.
        """
        image = home / f"{mounts.PREFIX}{mine()}-{folder.parent.name}.img"
        with image.open("wb") as file:
            file.truncate(size)
        volume = cls(folder, image)
        try:
            # No blocks reserved for root, because root fills it.
            mounts.run("mkfs.ext4", "-q", "-F", "-m", "0", str(image))
            volume.mount()
            (folder / "lost+found").rmdir()  # Kafka accepts only folders of partitions
        except (InsyncError, OSError):
            volume.remove()
            raise
        return volume

    @property
    def free_bytes(self) -> int:
        """How much can still be written to it."""
        space = os.statvfs(self.folder)
        return space.f_bavail * space.f_frsize

    def mount(self) -> None:
        """Mount it with its files; raises InsyncError."""
        mounts.run("mount", "-o", "loop,noatime", str(self._image), str(self.folder))

    def unmount(self) -> None:
        """Unmount it; raises InsyncError if it cannot be."""
        mounts.unmount(self.folder)

    def remove(self) -> None:
        """Unmount it and remove its file; raises InsyncError if it stays mounted."""
        self.unmount()
        self._image.unlink(missing_ok=True)

    def fill(self) -> None:
        """Take all of its free space; raises OSError if something else fails."""
        ballast = os.open(self.folder / BALLAST, os.O_WRONLY | os.O_CREAT)
        try:
            size, step = 0, self.free_bytes
            while step >= BLOCK:
                try:
                    os.posix_fallocate(ballast, size, step)
                    size += step
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    step //= 2
        finally:
            os.close(ballast)

    def clear(self) -> None:
        """Give the space that `fill` took back; raises OSError."""
        (self.folder / BALLAST).unlink(missing_ok=True)

    def abort(self) -> None:
        """Make it read-only at once, as ext4 is after an error; raises InsyncError.

        The kernel refuses a plain remount,ro while files are open for writing. What was
        written until now is flushed first. Only `renew` undoes it.
        """
        mounts.run("sync", "-f", str(self.folder))
        mounts.run("mount", "-o", "remount,abort", str(self.folder))

    def renew(self) -> None:
        """Mount it again, writable, when no process uses it. Raises InsyncError."""
        self.unmount()
        # A container that has just ended may use it for a moment longer: then it would be
        # mounted in its old state.
        if not await_true(lambda: str(self._image) not in mounts.images(), RELEASED_WITHIN_S):
            raise InsyncError(f"{self._image}: still in use, it cannot be mounted again")
        self.mount()

    def refusal(self) -> int:
        """Try to write a block; return the number of the error, 0 if there was none."""
        probe = self.folder / PROBE
        try:
            with probe.open("wb", buffering=0) as file:
                file.write(b"\1" * BLOCK)
                os.fsync(file.fileno())
        except OSError as error:
            return error.errno or 0
        finally:
            with suppress(OSError):  # on a read-only disk there is none, and none can be removed
                probe.unlink()
        return 0


def _try() -> str | None:
    with tempfile.TemporaryDirectory(prefix=mounts.PREFIX) as home:
        folder = Path(home) / "probe" / "data"
        folder.mkdir(parents=True)
        return refusal(lambda: Volume.make(folder, Path(home), _PROBED_BYTES).remove())
