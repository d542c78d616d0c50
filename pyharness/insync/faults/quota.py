"""The CPU quota: a broker's process gets a small share of one core.

Evidence: how often, and for how long in sum, the kernel made it wait for its next share.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults import cpu_groups
from insync.faults.base import Occasion, Window
from insync.faults.cgroup_places import Parent, home_of
from insync.faults.cgroups import Group
from insync.faults.cpu_groups import Throttled
from insync.running import Running


class QuotaFault:
    """A `Fault`: one broker is starved of CPU."""

    def __init__(
        self,
        process: Callable[[], Running],
        percent: float,
        occasion: Occasion,
    ) -> None:
        """Plan it; `process` returns the broker's process as it is when the fault begins."""
        self._process = process
        self._percent = percent
        self._occasion = occasion
        self._window = Window()
        self._group: Group | None = None
        self._pid = 0
        self._home = Path()
        self._seen = Throttled(0, 0.0)

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Put the process into a group with the quota; raises InsyncError if that fails."""
        parent = cpu_groups.place()
        if not isinstance(parent, Parent):
            raise InsyncError(f"no CPU quota can be set: {parent}")
        self._pid = self._process().pid
        try:
            self._home = home_of(self._pid, parent)
            quota = cpu_groups.quota(self._percent)
            self._group = Group.make(parent, str(self._occasion.broker), quota)
            self._window.begin()
            self._group.add(self._pid)
        except OSError as error:
            raise InsyncError(f"{self._occasion.where}: no CPU quota: {error}") from error

    def lift(self) -> None:
        """Put the process back where it was and remove the group."""
        group, self._group = self._group, None
        if group is None:
            return
        with suppress(OSError):
            self._seen = cpu_groups.throttled(group)
        with suppress(OSError):  # a process that is gone has left its group by itself
            Group(self._home, group.unified).add(self._pid)
        self._window.end()
        group.remove()

    def evidence(self) -> FaultLine:
        """Return what the kernel counted; threads on several cores may wait at once."""
        acted_ms = min(self._seen.ms, self._window.length_ms)
        return self._window.line(
            self._occasion,
            acted_ms,
            {"throttled": float(self._seen.times), "throttled_ms": self._seen.ms},
        )
