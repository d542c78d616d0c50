"""Control groups with limits on a disk, on cgroup v1 (blkio) and v2 (io).

A limit is on a whole disk, and slows only what really goes to it: reads that miss the page
cache, and fsyncs; other writes reach the disk later, and the kernel makes them.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import refusal
from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import Parent
from insync.faults.support.cgroups import ControlGroup, Limit

_DEVICES: Final = Path("/sys/dev/block")
_NO_DISK: Final = 0  # the major number of file systems that have no device of their own
_PROBED: Final = 1 << 40
_IMPOSSIBLE: Final = "no disk can be throttled"
_LIMIT_V1: Final = "blkio.throttle.{}_bps_device"
_COUNT_V1: Final = "blkio.throttle.io_service_bytes"


@dataclass(frozen=True, slots=True)
class Rates:
    """Bytes per second; None for no limit."""

    read: int | None = None
    write: int | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes that a group has read from a disk and written to it."""

    read: int = 0
    written: int = 0

    def since(self, before: "Moved") -> "Moved":
        """Return what was moved after `before`."""
        return Moved(self.read - before.read, self.written - before.written)


def disk_of(folder: Path) -> str | None:
    """Return the disk that a folder is on, as "major:minor"; None if it is on none.

    Raises OSError if there is no such folder.
    """
    device = folder.stat().st_dev
    if os.major(device) == _NO_DISK:
        return None
    number = f"{os.major(device)}:{os.minor(device)}"
    entry = (_DEVICES / number).resolve()
    if (entry / "partition").exists():  # limits are on whole disks only
        number = (entry.parent / "dev").read_text(encoding="ascii").strip()
    return number


def place(folder: Path) -> tuple[Parent, str]:
    """Return where a group can be made with limits on the disk of a folder, and the disk.

    Raises InsyncError, and OSError if there is no such folder.
    """
    disk = disk_of(folder)
    if disk is None:
        raise InsyncError(f"{_IMPOSSIBLE}: {folder} is on none of its own, expected a block device")
    return cgroups.place(_IMPOSSIBLE, "blkio", limits(disk, Rates(_PROBED, _PROBED))), disk


def unavailable(folder: Path) -> str | None:
    """Return why the disk that a folder is on cannot be throttled here, or None.

    The folder need not exist yet.
    """
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    return refusal(lambda: place(there))


def limits(disk: str, rates: Rates) -> Limit:
    """Return the limit of a group to rates on a disk."""

    def limit(group: ControlGroup) -> None:
        wanted = {"read": rates.read, "write": rates.write}
        asked = {name: rate for name, rate in wanted.items() if rate is not None}
        if group.unified:
            words = (f"{name[0]}bps={rate}" for name, rate in asked.items())
            group.write("io.max", f"{disk} {' '.join(words)}")
            return
        for name, rate in asked.items():
            group.write(_LIMIT_V1.format(name), f"{disk} {rate}")

    return limit


def free(group: ControlGroup, disk: str) -> None:
    """Take a group's limits on a disk away, also for what waits for it; raises OSError."""
    if group.unified:
        group.write("io.max", f"{disk} rbps=max wbps=max")
        return
    for name in ("read", "write"):
        group.write(_LIMIT_V1.format(name), f"{disk} 0")


def moved(group: ControlGroup, disk: str) -> Moved:
    """Return what a group has moved so far; raises OSError."""
    seen = _unified(group, disk) if group.unified else _by_kind(group, disk)
    return Moved(seen.get("read", 0), seen.get("write", 0))


def _by_kind(group: ControlGroup, disk: str) -> Mapping[str, int]:
    rows = (line.split() for line in group.read(_COUNT_V1).splitlines())
    return {row[1].lower(): int(row[2]) for row in rows if len(row) == 3 and row[0] == disk}


def _unified(group: ControlGroup, disk: str) -> Mapping[str, int]:
    rows = (line.split() for line in group.read("io.stat").splitlines())
    pairs = (pair.split("=") for row in rows if row and row[0] == disk for pair in row[1:])
    names = {"rbytes": "read", "wbytes": "write"}
    return {names[name]: int(value) for name, value in pairs if name in names}
