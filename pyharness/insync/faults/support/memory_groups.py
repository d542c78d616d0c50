"""Control groups with a limit on memory, on cgroup v1 and v2.

A process that is moved into such a group leaves behind what it has: only pages that it touches
from then on count there, its own and those of files. In v2 the limit is `memory.high`, above which
the kernel takes pages back and slows the process; v1 has only a hard one.
"""

from dataclasses import dataclass
from typing import Final

from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import Parent
from insync.faults.support.cgroups import ControlGroup, Limit, Stay

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


def place() -> Parent:
    """Return where a group with a limit on memory can be made here; raises InsyncError."""
    return cgroups.place("no memory can be limited", "memory", limit(_PROBED))


def limit(size: int) -> Limit:
    """Return the limit of a group to so many bytes."""

    def write(group: ControlGroup) -> None:
        group.write(_LIMIT_V2 if group.unified else _LIMIT_V1, str(size))

    return write


def pressure(group: ControlGroup) -> Pressure:
    """Return what a group's limit did so far; raises OSError."""
    if group.unified:
        hits = _rows(group, "memory.events")["high"]
    else:
        hits = int(group.read("memory.failcnt"))
    return Pressure(hits, _rows(group, "memory.stat").get("workingset_refault_file", 0))


def confine(pid: int, name: str, size: int) -> Stay:
    """Move a process into a group of that size; raises OSError or InsyncError."""
    return Stay.begin(pid, place(), name, limit(size))


def _rows(group: ControlGroup, file: str) -> dict[str, int]:
    pairs = (line.split() for line in group.read(file).splitlines())
    return {name: int(value) for name, value in pairs}
