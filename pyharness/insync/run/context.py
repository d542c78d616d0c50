"""What the repeats of one arm share: the plan, its cluster, the files they write to."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from insync.cluster.local import LocalCluster
from insync.errors import InsyncError
from insync.events.schema import (
    COUNTERS,
    FAULTS,
    PHASES,
    PhaseLine,
    PhaseType,
    bridge_dir,
    events_dir,
    now_ms,
)
from insync.events.writer import EventWriter
from insync.faults.control import ControlFile
from insync.run.plan import Plan


class ArmFiles:
    """The open event files of one arm; a context manager."""

    def __init__(self, plan: Plan, arm: str) -> None:
        self.folder = events_dir(plan.out, arm)
        self._arm = arm
        self._open = ExitStack()
        self._phases = self._open.enter_context(EventWriter(self.folder / PHASES))
        self.faults = self._open.enter_context(EventWriter(self.folder / FAULTS))
        self.counters = self._open.enter_context(EventWriter(self.folder / COUNTERS))

    def phase(
        self, kind: PhaseType, *, repeat: int = -1, topic: str | None = None, note: str = ""
    ) -> None:
        """Write down that a phase of the run begins now."""
        self._phases.write(
            PhaseLine(
                type=kind, t_ms=now_ms(), arm=self._arm, repeat=repeat, topic=topic, note=note
            )
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmContext:
    """One arm with its cluster running; `controls` holds each faulted broker's control file."""

    plan: Plan
    arm: str
    cluster: LocalCluster
    controls: Mapping[int, ControlFile]
    files: ArmFiles

    def check_nodes(self) -> None:
        """Raise InsyncError if a node has ended."""
        for node in self.cluster.nodes.values():
            code = node.process.poll()
            if code is not None:
                raise InsyncError(f"{node.role} {node.id}: ended with {code}, see {node.log}")

    @property
    def bridge(self) -> Path:
        """The folder of the connection files, one per broker if the arm has the agent."""
        return bridge_dir(self.plan.out, self.arm)
