"""Finds where control groups may be made on this machine, on cgroup v1 and v2.

Reads /proc alone; only trying shows whether a group can really be made there.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, get_args

PROC: Final = Path("/proc")

Controller = Literal["cpu", "blkio", "freezer", "memory"]
"""What a group is to limit, by its name in v1; v2 says io for blkio, and can always freeze."""


@dataclass(frozen=True, slots=True)
class Parent:
    """A folder in which groups may be made; `unified` is cgroup v2."""

    folder: Path
    unified: bool
    controller: Controller = "cpu"


def parents(mounts: str, own: str, controller: Controller) -> list[Parent]:
    """Return where groups of a controller might be made, the likeliest first.

    `mounts` is the text of /proc/mounts, `own` that of /proc/self/cgroup. In v2 a group that
    holds processes cannot have limited children, so those above it are candidates too.
    """
    paths = {
        name: path
        for _, names, path in (line.split(":", 2) for line in own.splitlines() if line)
        for name in names.split(",")
    }
    found = []
    for kind, unified in (("cgroup", False), ("cgroup2", True)):
        for where in _mounted(mounts, kind, controller):
            path = Path(where + paths.get("" if unified else controller, "/")).resolve()
            levels = [path, *path.parents] if unified else [path, Path(where)]
            inside = [level for level in levels if level.is_relative_to(where)]
            found += [Parent(level, unified, controller) for level in dict.fromkeys(inside)]
    return found


def here(controller: Controller) -> list[Parent]:
    """Return where groups of a controller might be made on this machine."""
    try:
        return parents(
            (PROC / "mounts").read_text(encoding="utf-8"),
            (PROC / "self" / "cgroup").read_text(encoding="utf-8"),
            controller,
        )
    except OSError:
        return []


def everywhere() -> list[Parent]:
    """Return where groups of any controller might be made on this machine."""
    return [place for controller in get_args(Controller) for place in here(controller)]


def home_of(pid: int, parent: Parent) -> Path:
    """Return the folder of the group that a process is in; raises OSError if it is gone."""
    lines = (PROC / str(pid) / "cgroup").read_text(encoding="utf-8").splitlines()
    for line in lines:
        _, names, path = line.split(":", 2)
        if (names == "") if parent.unified else (parent.controller in names.split(",")):
            return _mount_of(parent) / path.lstrip("/")
    return parent.folder


def group_of(pid: int, controller: Controller) -> Parent:
    """Return the group of a controller that a process is in; raises OSError if it is gone."""
    places = here(controller)
    if not places:
        raise FileNotFoundError(f"no cgroup with the {controller} controller is mounted")
    return replace(places[0], folder=home_of(pid, places[0]))


def _mount_of(parent: Parent) -> Path:
    kind = "cgroup2" if parent.unified else "cgroup"
    mounts = (PROC / "mounts").read_text(encoding="utf-8")
    places = _mounted(mounts, kind, parent.controller)
    inside = [where for where in places if parent.folder.is_relative_to(where)]
    return Path(inside[0]) if inside else parent.folder


def _mounted(mounts: str, kind: str, controller: Controller) -> list[str]:
    """Return the mount points of v2, or those of a controller of v1."""
    fields = [line.split() for line in mounts.splitlines()]
    return [
        where
        for _, where, system, options, *_ in fields
        if system == kind and (kind == "cgroup2" or controller in options.split(","))
    ]
