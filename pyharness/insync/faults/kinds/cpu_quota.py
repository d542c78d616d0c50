"""`cpu-quota`: a node's process gets a small share of one core.

A control group limits it: one that the run makes, or its container's (`support/shares.py`).
Evidence: how often the kernel throttled the process, and for how long in sum.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from insync.errors import InsyncError
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window
from insync.faults.cluster import FaultCluster
from insync.faults.kind import NOT_RUNNING, FaultKind, Recorded, Tags, Words, always, figure
from insync.faults.spec import OnProcess
from insync.faults.support import cpu_groups
from insync.faults.support.cpu_groups import Throttled
from insync.faults.support.shares import ContainerShare, GroupShare, Share


class CpuQuota(OnProcess):
    """The process gets `quota_percent` of one core."""

    intensity = ("quota_percent",)

    kind: Literal["cpu-quota"]
    quota_percent: Annotated[float, Field(ge=0.1, le=100)]


class QuotaFault:
    """A `Fault`: one node gets too little CPU time."""

    def __init__(self, share: Callable[[], Share], percent: float, context: FaultContext) -> None:
        """Plan it; `share` returns the one of the process that runs when the fault begins."""
        self._make_share = share
        self._percent = percent
        self._context = context
        self._window = Window()
        self._share: Share
        self._seen = Throttled(0, 0.0)

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Cut the process's share; raises InsyncError if that fails."""
        self._share = self._make_share()
        self._window.begin()
        try:
            self._share.cut(self._percent)
        except OSError as error:
            raise InsyncError(f"{self._context.where}: no CPU quota: {error}") from error

    def lift(self) -> None:
        """Give the process back what it had."""
        if not self._window.is_open:
            return
        with suppress(OSError):
            self._seen = self._share.throttled()
        self._share.restore()
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return what the kernel counted; threads on several cores may wait at once."""
        acted_ms = min(self._seen.ms, self._window.length_ms)
        return self._window.line(
            self._context,
            acted_ms,
            {"throttled": float(self._seen.times), "throttled_ms": self._seen.ms},
        )


def _inject(spec: CpuQuota, context: FaultContext, cluster: FaultCluster) -> Fault:
    return QuotaFault(partial(_share, cluster, spec.broker), spec.quota_percent, context)


def _share(cluster: FaultCluster, node: int) -> Share:
    container = cluster.container(node)
    if container is None:
        return GroupShare(cluster.process(node), str(node))
    return ContainerShare(container)


def _missing(_: PlannedFault, seen: Recorded) -> str | None:
    times = seen.figures.get("throttled", 0.0)
    return None if times else figure("throttled", times, "at least 1")


KIND = FaultKind(
    spec=CpuQuota,
    words=Words(
        does="the process gets a small share of one core",
        mechanism="CFS quota of a control group",
        evidence="the kernel's count of throttled periods, and the time that they took",
        notes="`quota_percent` is of one core. The run makes the control group (cgroup v1 or v2)"
        " and moves the process into it; a container's own quota is changed, and put back at the"
        " end.",
    ),
    probes={"local": lambda _: cpu_groups.unavailable(), "docker": always},
    inject=_inject,
    missing=_missing,
    tags=Tags(once=True, regroups=True, late_shrinks={"cpu-quota": NOT_RUNNING}),
)
