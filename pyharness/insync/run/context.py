"""Hold what the repeats of one scenario on one arm share: cell, cluster and event files."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Self

from insync.events.schema import (
    CONTROLLER,
    COUNTERS,
    FAULTS,
    LIVENESS,
    PHASES,
    SAMPLES,
    PhaseLine,
    PhaseType,
    events_dir,
    now_ms,
)
from insync.events.writer import EventFolder, Publish
from insync.run.arm_cluster import ArmCluster
from insync.run.cell import CellSpec
from insync.workload.java.driver import Driver


class ArmFiles:
    """The open event files of one arm; a context manager."""

    def __init__(self, cell: CellSpec, publish: Callable[[str], Publish] | None = None) -> None:
        """Open the files; `publish` maps a file's name to the function that publishes its lines."""
        self.folder = EventFolder(events_dir(cell.out, cell.arm), publish)
        self._arm = cell.arm
        self._open = ExitStack()
        self._phases = self._open.enter_context(self.folder.open(PHASES))
        self.faults = self._open.enter_context(self.folder.open(FAULTS))
        self.counters = self._open.enter_context(self.folder.open(COUNTERS))
        self.samples = self._open.enter_context(self.folder.open(SAMPLES))
        self.controller = self._open.enter_context(self.folder.open(CONTROLLER))
        self.liveness = self._open.enter_context(self.folder.open(LIVENESS))

    def phase(
        self,
        kind: PhaseType,
        *,
        repeat: int = -1,
        topic: str | None = None,
        note: str = "",
        longest_gap_ms: float | None = None,
        seed: int | None = None,
    ) -> None:
        """Record that a phase of the run begins now."""
        self._phases.write(
            PhaseLine(
                type=kind, t_ms=now_ms(), arm=self._arm, repeat=repeat, topic=topic, note=note,
                longest_gap_ms=longest_gap_ms, seed=seed,
            )
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class ArmContext:
    """One scenario on the running cluster of one arm; `driver` runs its Java clients, if any."""

    cell: CellSpec
    arm_cluster: ArmCluster
    files: ArmFiles
    driver: Driver | None = None

    @property
    def arm(self) -> str:
        """The name of the arm."""
        return self.arm_cluster.arm

    @property
    def bootstrap(self) -> str:
        """The brokers' own addresses."""
        return self.arm_cluster.cluster.bootstrap

    @property
    def client_bootstrap(self) -> str:
        """The brokers' addresses for the workload's clients, whose links may be broken."""
        return self.arm_cluster.cluster.client_bootstrap
