"""CPU control groups of our own, on cgroup v1 and v2.

A group is named after the harness that made it, so that the next one can remove what a
killed one left behind. Where groups cannot be made, `unavailable` says why.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import await_true
from insync.faults.cgroup_places import PROC, Parent, here

PREFIX: Final = "insync-"
EMPTY_WITHIN_S: Final = 2.0
_OURS: Final = re.compile(rf"^{PREFIX}(\d+)-")
_PERIOD_US: Final = 100_000
_LEAST_QUOTA_US: Final = 1_000  # the kernel takes no less


@dataclass(frozen=True, slots=True)
class Throttled:
    """How often a group was out of its quota, and for how long in sum, in ms."""

    times: int
    ms: float


def usable(candidates: Sequence[Parent]) -> Parent | str:
    """Return the first parent in which a group with a quota can be made, or why there is none."""
    why = "no cgroup with the cpu controller is mounted"
    for parent in candidates:
        try:
            group = Group.make(parent, f"{os.getpid()}-probe", 50)
        except OSError as error:
            why = f"{error.filename or parent.folder}: {error.strerror}"
            continue
        group.remove()
        return parent
    return why


def unavailable() -> str | None:
    """Return why no CPU quota can be set here, or None."""
    found = usable(here())
    return None if isinstance(found, Parent) else f"no CPU quota can be set: {found}"


def sweep(candidates: Sequence[Parent]) -> None:
    """Remove the groups of harnesses that are gone."""
    for parent in candidates:
        for folder in parent.folder.glob(f"{PREFIX}*"):
            named = _OURS.match(folder.name)
            if named and not (PROC / named[1]).exists():
                _remove(folder)


@dataclass(frozen=True, slots=True)
class Group:
    """One group with a quota."""

    folder: Path
    unified: bool

    @classmethod
    def make(cls, parent: Parent, name: str, percent: float) -> "Group":
        """Make a group that gets `percent` of one core; raises OSError."""
        if parent.unified:
            _enable_cpu(parent.folder)
        group = cls(parent.folder / f"{PREFIX}{name}", parent.unified)
        group.folder.mkdir()
        try:
            group._limit(percent)
        except OSError:
            _remove(group.folder)
            raise
        return group

    def add(self, pid: int) -> None:
        """Move a process into the group, with all its threads; raises OSError."""
        _write(self.folder / "cgroup.procs", str(pid))

    def throttled(self) -> Throttled:
        """Return what the kernel counted so far; raises OSError."""
        lines = (self.folder / "cpu.stat").read_text(encoding="ascii").splitlines()
        stat = {name: int(value) for name, _, value in (line.partition(" ") for line in lines)}
        ms = stat["throttled_usec"] / 1e3 if self.unified else stat["throttled_time"] / 1e6
        return Throttled(stat["nr_throttled"], ms)

    def remove(self) -> None:
        """Remove the empty group; raises InsyncError if it cannot be removed."""
        if not await_true(lambda: _remove(self.folder), EMPTY_WITHIN_S):
            raise InsyncError(f"{self.folder}: not removed, it is not empty")

    def _limit(self, percent: float) -> None:
        period, quota = quota_us(percent)
        if self.unified:
            _write(self.folder / "cpu.max", f"{quota} {period}")
        else:
            _write(self.folder / "cpu.cfs_period_us", str(period))
            _write(self.folder / "cpu.cfs_quota_us", str(quota))


def quota_us(percent: float) -> tuple[int, int]:
    """Return period and quota in microseconds: the usual period, longer for the least quotas."""
    period = max(_PERIOD_US, round(_LEAST_QUOTA_US * 100 / percent))
    return period, max(_LEAST_QUOTA_US, round(period * percent / 100))


def _enable_cpu(folder: Path) -> None:
    control = folder / "cgroup.subtree_control"
    if "cpu" not in control.read_text(encoding="ascii").split():
        _write(control, "+cpu")


def _write(file: Path, text: str) -> None:
    """Write to a file of the kernel's: never make one."""
    descriptor = os.open(file, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
