"""Limits a node's share of the CPU, by a control group of the harness or its container's own."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import Parent, group_of
from insync.faults.support.cgroups import ControlGroup, Limit, Stay
from insync.running import Running

if TYPE_CHECKING:
    from insync.brokers.docker.process import ContainerProcess


_PERIOD_US: Final = 100_000
_LEAST_QUOTA_US: Final = 1_000  # the kernel takes no less
_PROBED_PERCENT: Final = 50.0


@dataclass(frozen=True, slots=True)
class Throttled:
    """How often a group was out of its quota, and for how long in sum, in ms."""

    times: int
    ms: float


def place() -> Parent:
    """Return where a group with a quota can be made on this machine; raises InsyncError."""
    return cgroups.place("no CPU quota can be set", "cpu", quota(_PROBED_PERCENT))


def quota(percent: float) -> Limit:
    """Return the limit of `percent` of one core."""
    period, share = quota_us(percent)

    def limit(group: ControlGroup) -> None:
        if group.unified:
            group.write("cpu.max", f"{share} {period}")
        else:
            group.write("cpu.cfs_period_us", str(period))
            group.write("cpu.cfs_quota_us", str(share))

    return limit


def throttled(group: ControlGroup) -> Throttled:
    """Return what the kernel counted so far; raises OSError."""
    lines = group.read("cpu.stat").splitlines()
    stat = {name: int(value) for name, _, value in (line.partition(" ") for line in lines)}
    ms = stat["throttled_usec"] / 1e3 if group.unified else stat["throttled_time"] / 1e6
    return Throttled(stat["nr_throttled"], ms)


def quota_us(percent: float) -> tuple[int, int]:
    """Return period and quota in microseconds: the usual period, longer for the least quotas."""
    period = max(_PERIOD_US, round(_LEAST_QUOTA_US * 100 / percent))
    return period, max(_LEAST_QUOTA_US, round(period * percent / 100))


_UNLIMITED: Final = (100_000, -1)


class GroupShare:
    """The share of a process of this host, which is moved into a control group made for it."""

    def __init__(self, process: Running, name: str) -> None:
        self._pid = process.pid
        self._name = name
        self._stay: Stay | None = None

    def cut(self, percent: float) -> None:
        """Limit it to `percent` of one core; raises OSError or InsyncError."""
        self._stay = Stay.begin(self._pid, place(), self._name, quota(percent))

    def throttled(self) -> Throttled:
        """Return how it was throttled since then; raises OSError."""
        return Throttled(0, 0.0) if self._stay is None else throttled(self._stay.group)

    def restore(self) -> None:
        """Give it back what it had before, if it was limited and has not ended."""
        stay, self._stay = self._stay, None
        if stay is not None:
            stay.end()


class ContainerShare:
    """The share of a container, whose own quota the engine changes."""

    def __init__(self, container: "ContainerProcess") -> None:
        self._container = container
        self._is_cut = False
        self._counted = Throttled(0, 0.0)

    def cut(self, percent: float) -> None:
        self._counted = self._count()
        self._is_cut = True
        self._container.set_quota_us(*quota_us(percent))

    def throttled(self) -> Throttled:
        now = self._count()
        return Throttled(now.times - self._counted.times, now.ms - self._counted.ms)

    def restore(self) -> None:
        # A node's container has no limit of its own.
        if self._is_cut and self._container.poll() is None:
            self._container.set_quota_us(*_UNLIMITED)
        self._is_cut = False

    def _count(self) -> Throttled:
        place = group_of(self._container.pid, "cpu")
        return throttled(ControlGroup(place.folder, place.unified))


Share = GroupShare | ContainerShare
