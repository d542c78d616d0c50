"""Makes and removes control groups, on cgroup v1 and v2.

A group is named after the harness that made it, so that the next harness can remove what a
killed one left behind. `shares`, `memory_groups` and `disk/blkio` set
its limits.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from insync.errors import InsyncError
from insync.faults.base import await_true
from insync.faults.support.cgroup_places import Controller, Parent, here, home_of
from insync.owner import is_gone, mine

PREFIX: Final = "insync-"
EMPTY_WITHIN_S: Final = 2.0
_OURS: Final = re.compile(rf"{PREFIX}(\d+-\d+)-")
_UNIFIED_NAMES: Final = {"cpu": "cpu", "blkio": "io", "memory": "memory"}


@dataclass(frozen=True, slots=True)
class ControlGroup:
    """One group."""

    folder: Path
    unified: bool

    @classmethod
    def make(cls, parent: Parent, name: str, limit: "Limit") -> "ControlGroup":
        """Make a group with a limit; raises OSError."""
        if parent.unified:
            _enable(parent)
        group = cls(parent.folder / f"{PREFIX}{mine()}-{name}", parent.unified)
        group.folder.mkdir()
        try:
            limit(group)
        except OSError:
            _remove(group.folder)
            raise
        return group

    def add(self, pid: int) -> None:
        """Move a process into the group, with all its threads; raises OSError."""
        self.write("cgroup.procs", str(pid))

    def read(self, file: str) -> str:
        """Return what a file of the group says; raises OSError."""
        return (self.folder / file).read_text(encoding="ascii")

    def write(self, file: str, text: str) -> None:
        """Write to a file of the group; raises OSError."""
        _write(self.folder / file, text)

    def remove(self) -> None:
        """Remove the empty group; raises InsyncError if it cannot be removed."""
        if not await_true(lambda: _remove(self.folder), EMPTY_WITHIN_S):
            raise InsyncError(f"{self.folder}: not removed, it is not empty")


Limit = Callable[[ControlGroup], None]
"""Writes a limit into a new group; raises OSError."""


@dataclass(frozen=True, slots=True)
class Stay:
    """A process in a group that was made for it, and the folder of the group it came from."""

    pid: int
    home: Path
    group: ControlGroup

    @classmethod
    def begin(cls, pid: int, parent: Parent, name: str, limit: Limit) -> "Stay":
        """Make the group and move the process; raises OSError, and then no group is left.

        In v2 a process is in one group only. If it is in one of this harness's already, that
        group gets the limit too, and ends with the stay that made it.
        """
        home = home_of(pid, parent)
        if _is_ours(home):
            _enable(replace(parent, folder=home.parent))
            limit(ControlGroup(home, parent.unified))
            return cls(pid, home, ControlGroup(home, parent.unified))
        stay = cls(pid, home, ControlGroup.make(parent, name, limit))
        try:
            stay.group.add(pid)
        except OSError:
            stay.end()
            raise
        return stay

    def end(self) -> None:
        """Put the process back where it was and remove the group; raises InsyncError."""
        if self.group.folder == self.home:
            return
        with suppress(OSError):  # a process that has ended is in no group
            ControlGroup(self.home, self.group.unified).add(self.pid)
        self.group.remove()


def usable(candidates: Sequence[Parent], controller: Controller, limit: Limit) -> Parent | str:
    """Return the first parent in which a group with a limit can be made, or why there is none."""
    why = f"no cgroup with the {controller} controller is mounted"
    for parent in candidates:
        try:
            group = ControlGroup.make(parent, "probe", limit)
        except OSError as error:
            why = f"{error.filename or parent.folder}: {error.strerror}"
            continue
        group.remove()
        return parent
    return why


def place(what: str, controller: Controller, limit: Limit) -> Parent:
    """Return where a group with a limit can be made on this machine.

    Raises InsyncError, which says `what` is not possible.
    """
    found = usable(here(controller), controller, limit)
    if isinstance(found, str):
        raise InsyncError(f"{what}: {found}")
    return found


def sweep(candidates: Sequence[Parent]) -> None:
    """Remove the groups of harnesses that have ended."""
    for parent in candidates:
        for folder in parent.folder.glob(f"{PREFIX}*"):
            named = _OURS.match(folder.name)
            if named and is_gone(named[1]):
                _remove(folder)


def _is_ours(folder: Path) -> bool:
    return folder.name.startswith(f"{PREFIX}{mine()}-")


def _enable(parent: Parent) -> None:
    control = parent.folder / "cgroup.subtree_control"
    name = _UNIFIED_NAMES[parent.controller]
    if name not in control.read_text(encoding="ascii").split():
        _write(control, f"+{name}")


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
