"""Lists mounts, unmounts them, and removes those that ended harnesses left behind.

Every mount of insync carries the name of its owner: a file system as its source, a volume in
the name of the image behind its loop device.
"""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import await_true
from insync.owner import is_gone

PREFIX: Final = "insync-"
FREE_WITHIN_S: Final = 5.0
COMMAND_SECONDS: Final = 20.0
_MOUNTS: Final = Path("/proc/self/mounts")
_LOOPS: Final = Path("/sys/block")
_OURS: Final = re.compile(rf"{PREFIX}(\d+-\d+)")
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of the mount table."""

    source: str
    folder: Path
    system: str


def mounted() -> list[Mount]:
    """Return what is mounted, in the order of mounting."""
    return parse(_MOUNTS.read_text(encoding="utf-8", errors="surrogateescape"))


def parse(table: str) -> list[Mount]:
    """Return the lines of a mount table; spaces and the like are octal there."""
    rows = (line.split() for line in table.splitlines() if line)
    return [Mount(_plain(row[0]), Path(_plain(row[1])), row[2]) for row in rows]


def is_mounted(folder: Path) -> bool:
    """Whether something is mounted at `folder`; a file system that is dead counts."""
    return any(mount.folder == folder for mount in mounted())


def unmount(folder: Path) -> None:
    """Unmount what is at `folder`, which is no longer used; nothing happens if nothing is.

    If it stays in use, it is unmounted lazily. Raises InsyncError if even that fails.
    """
    if await_true(lambda: _gone(folder, lazily=False), FREE_WITHIN_S):
        return
    if not _gone(folder, lazily=True):
        raise InsyncError(f"{folder}: still mounted, and cannot be unmounted")


def sweep() -> None:
    """Unmount what ended harnesses left behind, as far as possible."""
    for mount in reversed(mounted()):
        if any(is_gone(owner) for owner in _owners(mount)):
            _gone(mount.folder, lazily=True)


def remove(source: str) -> None:
    """Unmount what has this source, used or not, as far as possible."""

    def removed() -> bool:
        folders = [mount.folder for mount in mounted() if mount.source == source]
        return all(_gone(folder, lazily=True) for folder in folders)

    await_true(removed, FREE_WITHIN_S)


def images() -> list[str]:
    """Return the files behind loop devices."""
    return [_image(loop.name) for loop in _LOOPS.glob("loop*")]


def run(*command: str) -> None:
    """Run a system tool; raises InsyncError with its output if it fails."""
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            timeout=COMMAND_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InsyncError(f"{' '.join(command)}: {error}") from error
    if done.returncode != 0:
        message = " | ".join(line.strip() for line in done.stderr.splitlines() if line.strip())
        raise InsyncError(f"{' '.join(command)}: {message or f'ended with {done.returncode}'}")


def _gone(folder: Path, *, lazily: bool) -> bool:
    """Try to unmount once; return whether nothing is mounted there."""
    mine = [mount for mount in mounted() if mount.folder == folder]
    if not mine:
        return True
    fuse = mine[-1].system.startswith("fuse")
    # fusermount3 needs no root, but unmounts only file systems in user space.
    command = ["fusermount3", "-u", *(["-z"] if lazily else []), "--"] if fuse else ["umount"]
    if not fuse and lazily:
        command.append("--lazy")
    try:
        run(*command, str(folder))
    except InsyncError:
        return False
    return not is_mounted(folder)


def _owners(mount: Mount) -> Iterator[str]:
    """Yield the owner of a mount, if insync made it."""
    names = mount.source
    if mount.source.startswith("/dev/loop"):
        names = _image(Path(mount.source).name)
    named = _OURS.match(os.path.basename(names))  # noqa: PTH119 - a source is not a path
    if named:
        yield named[1]


def _image(loop: str) -> str:
    """Return the file behind a loop device."""
    try:
        return (_LOOPS / loop / "loop" / "backing_file").read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _plain(field: str) -> str:
    return _ESCAPED.sub(lambda escape: chr(int(escape[1], 8)), field)
