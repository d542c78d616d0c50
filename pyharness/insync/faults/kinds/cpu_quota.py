"""`cpu-quota`: a node's process gets a small share of one core.

A control group limits it: one that the run makes, or its container's (`support/shares.py`).
Evidence: how often the kernel throttled the process, and for how long in sum.
"""

from contextlib import suppress
from typing import Annotated, Literal

from pydantic import Field

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault, refusal
from insync.faults.kind import (
    NOT_RUNNING,
    FaultKind,
    KindWords,
    Tags,
    always,
    counted,
)
from insync.faults.spec import OnProcess
from insync.faults.support import shares
from insync.faults.support.shares import ContainerShare, GroupShare, Share, Throttled


class CpuQuota(OnProcess):
    """The process gets `quota_percent` of one core."""

    intensity = ("quota_percent",)

    kind: Literal["cpu-quota"]
    quota_percent: Annotated[float, Field(ge=0.1, le=100)]


class QuotaFault(Fault[CpuQuota]):
    _share: Share
    _seen = Throttled(0, 0.0)

    def inject(self) -> None:
        node = self.context.broker
        container = self.cluster.container(node)
        self._share = (
            GroupShare(self.process, str(node)) if container is None else ContainerShare(container)
        )
        self.window.begin()
        try:
            self._share.cut(self.spec.quota_percent)
        except OSError as error:
            raise InsyncError(f"{self.context.where}: no CPU quota: {error}") from error

    def end(self) -> None:
        with suppress(OSError):
            self._seen = self._share.throttled()
        self._share.restore()
        self.window.end()

    def evidence(self) -> FaultLine:
        """Return what the kernel counted; threads on several cores may wait at once."""
        figures = {"throttled": self._seen.times, "throttled_ms": self._seen.ms}
        return self.line(min(self._seen.ms, self.window.length_ms), figures)


KIND = FaultKind(
    spec=CpuQuota,
    words=KindWords(
        does="the process gets a small share of one core",
        mechanism="CFS quota of a control group",
        evidence="the kernel's count of throttled periods, and the time that they took",
        notes="`quota_percent` is of one core. The run makes the control group (cgroup v1 or v2)"
        " and moves the process into it; a container's own quota is changed, and put back at the"
        " end.",
    ),
    probes={"local": lambda _: refusal(shares.place), "docker": always},
    inject=QuotaFault,
    missing=counted("throttled"),
    tags=Tags(once=True, regroups=True, late_shrinks={"cpu-quota": NOT_RUNNING}),
)
