"""Control groups with a limit on memory, on cgroup v1 and v2.

A process that is moved into such a group leaves behind what it has: only pages that it touches
from then on count there, its own and those of files. In v2 the limit is `memory.high`, above which
the kernel takes pages back and slows the process; v1 has only a hard one.
"""

from dataclasses import dataclass
from typing import Final

from insync.errors import InsyncError
from insync.faults.support.cgroup_places import Parent, here
from insync.faults.support.cgroups import Group, Limit, Stay, usable

_PROBED: Final = 1 << 40
_LIMIT_V1: Final = "memory.limit_in_bytes"
_LIMIT_V2: Final = "memory.high"


@dataclass(frozen=True, slots=True)
class Pressure:
    """What the limit of a group did.

    Args:
        limit_hits: how often the group was at its limit.
        refaults: pages of files that were taken back and read again.

    """

    limit_hits: int = 0
    refaults: int = 0

    def since(self, before: "Pressure") -> "Pressure":
        """Return what the limit did after `before`."""
        return Pressure(self.limit_hits - before.limit_hits, self.refaults - before.refaults)


def place() -> Parent | str:
    """Return where a group with a limit on memory can be made here, or why there is no place."""
    return usable(here("memory"), "memory", limit(_PROBED))


def unavailable() -> str | None:
    """Return why memory cannot be limited here, or None."""
    found = place()
    return None if isinstance(found, Parent) else f"no memory can be limited: {found}"


def limit(size: int) -> Limit:
    """Return the limit of a group to so many bytes."""

    def write(group: Group) -> None:
        group.write(_LIMIT_V2 if group.unified else _LIMIT_V1, str(size))

    return write


def pressure(group: Group) -> Pressure:
    """Return what a group's limit did so far; raises OSError."""
    hits = _rows(group, "memory.events")["high"] if group.unified else _failures(group)
    return Pressure(hits, _rows(group, "memory.stat").get("workingset_refault_file", 0))


def confine(pid: int, name: str, size: int) -> Stay:
    """Move a process into a group of that size; raises OSError or InsyncError."""
    parent = place()
    if not isinstance(parent, Parent):
        raise InsyncError(f"no memory can be limited: {parent}")
    return Stay.begin(pid, parent, name, limit(size))


def _failures(group: Group) -> int:
    return int(group.read("memory.failcnt"))


def _rows(group: Group, file: str) -> dict[str, int]:
    pairs = (line.split() for line in group.read(file).splitlines())
    return {name: int(value) for name, value in pairs}
