"""Limits a node's share of the CPU, by a control group of the harness or its container's own."""

from typing import TYPE_CHECKING, Final, Protocol

from insync.errors import InsyncError
from insync.faults.support import cpu_groups
from insync.faults.support.cgroup_places import Parent, group_of
from insync.faults.support.cgroups import Group, Stay
from insync.faults.support.cpu_groups import Throttled, quota_us
from insync.running import Running

if TYPE_CHECKING:
    from insync.brokers.docker.process import ContainerProcess

_UNLIMITED: Final = (100_000, -1)


class Share(Protocol):
    """One process's share of the CPU."""

    def cut(self, percent: float) -> None:
        """Limit it to `percent` of one core; raises OSError or InsyncError."""

    def throttled(self) -> Throttled:
        """Return how it was throttled since then; raises OSError."""

    def restore(self) -> None:
        """Give it back what it had before, if it was limited and has not ended."""


class GroupShare:
    """A process of this host is moved into a control group that is made for it."""

    def __init__(self, process: Running, name: str) -> None:
        self._pid = process.pid
        self._name = name
        self._stay: Stay | None = None

    def cut(self, percent: float) -> None:
        """Make the group and move the process."""
        parent = cpu_groups.place()
        if not isinstance(parent, Parent):
            raise InsyncError(f"no CPU quota can be set: {parent}")
        self._stay = Stay.begin(self._pid, parent, self._name, cpu_groups.quota(percent))

    def throttled(self) -> Throttled:
        """Return the group's count."""
        return Throttled(0, 0.0) if self._stay is None else cpu_groups.throttled(self._stay.group)

    def restore(self) -> None:
        """Put the process back where it was and remove the group."""
        stay, self._stay = self._stay, None
        if stay is not None:
            stay.end()


class ContainerShare:
    """A container's own quota is changed by the engine."""

    def __init__(self, container: "ContainerProcess") -> None:
        self._container = container
        self._before: tuple[int, int] | None = None
        self._counted = Throttled(0, 0.0)

    def cut(self, percent: float) -> None:
        """Change the quota, and begin to count."""
        self._counted = self._count()
        self._before = self._container.quota_us
        self._container.set_quota_us(*quota_us(percent))

    def throttled(self) -> Throttled:
        """Return what the container's group counted since."""
        now = self._count()
        return Throttled(now.times - self._counted.times, now.ms - self._counted.ms)

    def restore(self) -> None:
        """Give it the quota that it had."""
        before, self._before = self._before, None
        if before is not None and self._container.poll() is None:
            self._container.set_quota_us(*(before if before[1] > 0 else _UNLIMITED))

    def _count(self) -> Throttled:
        place = group_of(self._container.pid, "cpu")
        return cpu_groups.throttled(Group(place.folder, place.unified))
