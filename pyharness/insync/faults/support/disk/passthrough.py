"""Mounts a folder over itself through a file system of insync, which can be stalled."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from ctypes.util import find_library
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import await_true
from insync.faults.support.control import ControlFile
from insync.faults.support.disk import mounts
from insync.owner import mine
from insync.running import Running

FUSE: Final = Path("/dev/fuse")
FUSE_SETTINGS: Final = Path("/etc/fuse.conf")
UP_WITHIN_S: Final = 20.0
GONE_WITHIN_S: Final = 5.0
POWER: Final = "user.insync.power"
"""The extended attribute of a tracked folder whose values are what happens to its power."""
FAIL: Final = b"fail"
SETTLE: Final = b"settle"

Launch = Callable[[Sequence[str], Path], Running]
"""Starts a command that ends with the harness, its output in a file."""


def unavailable(*, for_others: bool = False) -> str | None:
    """Return why no folder can be mounted through that file system here, or None.

    `for_others`: other users, such as a container's, must see it as well.
    """
    why = None
    if not FUSE.exists():
        why = f"no {FUSE}"
    elif not os.access(FUSE, os.R_OK | os.W_OK):
        why = f"{FUSE} may not be opened by this user"
    elif shutil.which("fusermount3") is None or find_library("fuse3") is None:
        why = "no libfuse3 with fusermount3 (apt-get install fuse3)"
    elif for_others and not _others_may():
        why = f"a container's user is another one, expected user_allow_other in {FUSE_SETTINGS}"
    return None if why is None else f"no file system can be put under a log folder: {why}"


class Passthrough:
    """A mounted folder; the one who mounts it unmounts it when its users have ended."""

    def __init__(self, folder: Path, control: ControlFile, process: Running, lost: Path) -> None:
        self.folder = folder
        self.control = control
        self._process = process
        self._lost = lost

    @classmethod
    def mount(
        cls, folder: Path, control: Path, rules: int, launch: Launch, *, tracked: bool = False
    ) -> "Passthrough":
        """Mount `folder`, which must exist; `control` is made for a number of rules.

        `tracked`: its power can fail. Raises InsyncError, with what the file system's process says,
        if it does not come up.
        """
        made = ControlFile.create(control, folder, rules)
        log = control.with_suffix(".log")
        process = launch(_command(folder, control, tracked=tracked), log)
        mount = cls(folder, made, process, lost_of(control))
        try:
            mount._await_up(log)
        except BaseException:
            mount.unmount()
            raise
        return mount

    def unmount(self) -> None:
        """Unmount it and end its process; the files in the folder stay."""
        try:
            mounts.unmount(self.folder)
        finally:
            if not await_true(lambda: self._process.poll() is not None, GONE_WITHIN_S):
                self._process.send_signal(9)
                self._process.wait(GONE_WITHIN_S)

    def settle(self) -> None:
        """Count everything that was written so far as flushed; only where it is tracked."""
        self._power(SETTLE)

    def fail_power(self) -> Mapping[str, int]:
        """Take all files back to what was flushed of them; return what that took.

        Nobody may use them. Only where it is tracked.
        """
        self._power(FAIL)
        lost: Mapping[str, int] = json.loads(self._lost.read_text(encoding="utf-8"))
        return lost

    def _power(self, what: bytes) -> None:
        try:
            os.setxattr(self.folder, POWER, what)
        except OSError as error:
            raise InsyncError(f"{self.folder}: its power: {error.strerror}") from error

    def _await_up(self, log: Path) -> None:
        def decided() -> bool:
            return self._is_up() or self._process.poll() is not None

        if not (await_true(decided, UP_WITHIN_S) and self._is_up()):
            lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
            message = next((line for line in reversed(lines) if line.strip()), "it printed nothing")
            raise InsyncError(f"{self.folder}: not mounted: {message} (all of it: {log})")

    def _is_up(self) -> bool:
        return self.control.attached > 0 and mounts.is_mounted(self.folder)


def lost_of(control: Path) -> Path:
    """Return the file for what a power failure took."""
    return control.with_suffix(".lost.json")


def _command(folder: Path, control: Path, *, tracked: bool) -> list[str]:
    module = "insync.faults.support.disk.filesystem"
    # By default mfusepy may load libfuse 2, where a machine has both.
    command = ["env", "FUSE_LIBRARY_NAME=fuse3", sys.executable, "-m", module]
    command += [str(folder), str(control), f"{mounts.PREFIX}{mine()}"]
    words = {"everybody": _others_may(), "tracked": tracked}
    return [*command, *(word for word, wanted in words.items() if wanted)]


def _others_may() -> bool:
    """Whether other users, such as a container's, may use it: as root, or by root's settings."""
    if os.geteuid() == 0:
        return True
    try:
        lines = FUSE_SETTINGS.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return "user_allow_other" in (line.strip() for line in lines)
