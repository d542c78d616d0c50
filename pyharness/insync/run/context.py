"""Hold what the repeats of one scenario on one arm share: cell, cluster and event files."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from insync import arms
from insync.errors import InsyncError
from insync.events import agent_log
from insync.events.schema import (
    CONTROLLER,
    COUNTERS,
    FAULTS,
    LIVENESS,
    PHASES,
    SAMPLES,
    ControllerLine,
    CountersLine,
    PhaseLine,
    PhaseType,
    events_dir,
    now_ms,
)
from insync.events.writer import EventWriter
from insync.nodes import BROKERS
from insync.progress import Progress
from insync.run.arm_cluster import ArmCluster
from insync.run.cell import CellSpec
from insync.workload.java import Driver
from insync_bridge import BridgeClient, BridgeError, Counters


class ArmFiles:
    """The open event files of one arm; a context manager."""

    def __init__(self, cell: CellSpec) -> None:
        self.folder = events_dir(cell.out, cell.arm)
        self._arm = cell.arm
        self._open = ExitStack()
        names = (PHASES, FAULTS, COUNTERS, SAMPLES, CONTROLLER, LIVENESS)
        files = [self._open.enter_context(EventWriter(self.folder / name)) for name in names]
        self._phases, self.faults, self.counters, *files = files
        self.samples, self.controller, self.liveness = files

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
        return self.arm_cluster.arm

    @property
    def bootstrap(self) -> str:
        """The brokers' own addresses."""
        return self.arm_cluster.cluster.bootstrap

    @property
    def client_bootstrap(self) -> str:
        """The brokers' addresses for the workload's clients, whose links may be broken."""
        return self.arm_cluster.cluster.client_bootstrap

    def say(self, progress: Progress, repeat: int, text: str) -> None:
        progress.phase(f"{self.arm} {repeat + 1}/{self.cell.scenario.repeats}: {text}")


@contextmanager
def asking(folder: Path, broker: int) -> Iterator[BridgeClient]:
    """Connect to one broker's bridge for a block; raises InsyncError if it does not answer.

    This is not an InputError, because the run itself made the connection file.
    """
    try:
        with BridgeClient.connect(folder / f"bridge-{broker}.json") as client:
            yield client
    except BridgeError as error:
        raise InsyncError(str(error)) from error


BASE: Final = -1
"""The `repeat` of the counters that are read before the first repeat."""


def write_counters(context: ArmContext, repeat: int) -> None:
    """Write one CountersLine per broker if the brokers have the agent; raises InsyncError.

    Also write one ControllerLine if the controller has the agent.
    """
    if not context.cell.carries_agent:
        return
    ids = context.arm_cluster.brokers
    if arms.has_agent(context.arm) and context.cell.controller_agent:
        context.files.controller.write(_of_controller(context, repeat))
    for broker in range(1, BROKERS + 1):
        with asking(context.arm_cluster.bridge, ids[broker - 1]) as client:
            settings, counters = client.settings(), client.counters()
        context.files.counters.write(_line(context, repeat, broker, settings, counters))


def _line(
    context: ArmContext,
    repeat: int,
    broker: int,
    settings: Mapping[str, Any],
    counters: Counters,
) -> CountersLine:
    return CountersLine(
        arm=context.arm, repeat=repeat, t_ms=now_ms(), broker=broker,
        enabled=bool(settings[arms.FEATURE]), lag_policy=str(settings[arms.LAG_POLICY]),
        errors=counters.errors, holds_granted=counters.holds_granted,
        marks_total=counters.marks_total, released_total=counters.released_total,
        pending_now=counters.pending_now, held_now=counters.held_now,
        longest_hold_ms=counters.longest_hold_ms, events_dropped=counters.events_dropped,
    )  # fmt: skip


def _of_controller(context: ArmContext, repeat: int) -> ControllerLine:
    """Return what the controllers' agents wrote so far; one without events counts as not woven."""
    agent, nodes = context.arm_cluster.agent, context.arm_cluster.cluster.controllers
    types = {node.id: [] if agent is None else _types(agent.events_file(node.id)) for node in nodes}
    return ControllerLine(
        arm=context.arm, repeat=repeat, t_ms=now_ms(),
        woven=all(agent_log.WOVEN in found for found in types.values()),
        # Those of a broker are in its counters.
        errors=sum(
            types[node.id].count(agent_log.ERROR) for node in nodes if node.role == "controller"
        ),
    )  # fmt: skip


def _types(file: Path) -> list[object]:
    return [event.get("type") for event in agent_log.read(file)]
