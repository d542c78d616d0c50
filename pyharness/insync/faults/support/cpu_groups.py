"""Control groups with a share of the CPU, on cgroup v1 and v2."""

from dataclasses import dataclass
from typing import Final

from insync.faults.support.cgroup_places import Parent, here
from insync.faults.support.cgroups import Group, Limit, usable

_PERIOD_US: Final = 100_000
_LEAST_QUOTA_US: Final = 1_000  # the kernel takes no less
_PROBED_PERCENT: Final = 50.0


@dataclass(frozen=True, slots=True)
class Throttled:
    """How often a group was out of its quota, and for how long in sum, in ms."""

    times: int
    ms: float


def place() -> Parent | str:
    """Return where a group with a quota can be made on this machine, or why there is no place."""
    return usable(here("cpu"), "cpu", quota(_PROBED_PERCENT))


def unavailable() -> str | None:
    """Return why no CPU quota can be set here, or None."""
    found = place()
    return None if isinstance(found, Parent) else f"no CPU quota can be set: {found}"


def quota(percent: float) -> Limit:
    """Return the limit of `percent` of one core."""
    period, share = quota_us(percent)

    def limit(group: Group) -> None:
        if group.unified:
            group.write("cpu.max", f"{share} {period}")
        else:
            group.write("cpu.cfs_period_us", str(period))
            group.write("cpu.cfs_quota_us", str(share))

    return limit


def throttled(group: Group) -> Throttled:
    """Return what the kernel counted so far; raises OSError."""
    lines = group.read("cpu.stat").splitlines()
    stat = {name: int(value) for name, _, value in (line.partition(" ") for line in lines)}
    ms = stat["throttled_usec"] / 1e3 if group.unified else stat["throttled_time"] / 1e6
    return Throttled(stat["nr_throttled"], ms)


def quota_us(percent: float) -> tuple[int, int]:
    """Return period and quota in microseconds: the usual period, longer for the least quotas."""
    period = max(_PERIOD_US, round(_LEAST_QUOTA_US * 100 / percent))
    return period, max(_LEAST_QUOTA_US, round(period * percent / 100))
