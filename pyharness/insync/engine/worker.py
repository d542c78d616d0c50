"""`python -m insync.engine.worker TASK`: run one arm's cells on as few clusters as possible.

Cells with equal requirements share a cluster. A cell that fails leaves its cluster in an unknown
state, so the next one starts on a fresh cluster. A cluster that does not start is started
a second time; if that fails, too, its cells have no result, and those on other clusters run.
Exits with 0, or with 3 if a cluster did not start. On SIGTERM it stops cleanly; cells that had
finished are complete.
"""

import sys
import time
import traceback
from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from itertools import chain, count
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from insync import faults
from insync.errors import InsyncError
from insync.events.writer import write_atomic
from insync.lists import grouped
from insync.outcome import Outcome
from insync.progress import ProgressFile, ProgressReader
from insync.run.arm import record_lack, run_repeats
from insync.run.arm_cluster import ClusterSpec, cluster_spec, disks_differ, open_arm_cluster
from insync.run.cell import CellSpec
from insync.run.history import write_histories
from insync.run.plan import Tools, find_tools
from insync.signals import interruptible

TASKS: Final = "tasks"
Ended = Collection[tuple[Path, str]]
"""The arms that have come to their end, with the folder of their run."""


class Task(BaseModel):
    """The cells of one arm, in order; `folder` is that of their build.

    If it `waits`, the first cell begins when the file `go` is there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cells: tuple[CellSpec, ...] = Field(min_length=1)
    folder: Path
    waits: bool = False

    @property
    def arm(self) -> str:
        return self.cells[0].arm

    @property
    def name(self) -> str:
        return f"{self.cells[0].build} {self.arm}"

    @property
    def home(self) -> Path:
        """The folder for its nodes."""
        return self.folder / "nodes" / self.arm

    @property
    def log(self) -> Path:
        return self.folder / TASKS / f"{self.arm}.log"

    @property
    def go(self) -> Path:
        return self.folder / TASKS / f"{self.arm}.go"

    @property
    def progress(self) -> Path:
        return progress_file(self.folder, self.arm)

    def let_go(self) -> None:
        if self.waits:
            self.go.touch()

    def known(self, *kinds: str) -> list[CellSpec]:
        """Return the cells of which the progress of its worker says one of these things."""
        lines = ProgressReader(self.progress).news()
        names = {news[kind] for news in lines for kind in kinds if kind in news}
        return [cell for cell in self.cells if cell.scenario.name in names]


def progress_file(folder: Path, arm: str) -> Path:
    return folder / TASKS / f"{arm}.progress.jsonl"


def tasks_of(cells: Iterable[CellSpec], folder: Path, *, waits: bool = False) -> list[Task]:
    """Return a task per build and arm of the cells, build after build.

    `folder` is that of all runs together.
    """
    own = grouped(cells, lambda cell: (folder / cell.build, cell.arm))
    return [Task(cells=tuple(cells), folder=of, waits=waits) for (of, _), cells in own.items()]


def ended_of(tasks: Iterable[Task]) -> Ended:
    """Return the cells of tasks that have come to their end."""
    return {(cell.out, cell.arm) for task in tasks for cell in task.known("ended")}


def without_known(task: Task) -> Task | None:
    """Return the task with the cells that were not run yet, None if there are none.

    A cell that was cut short by an error is known as well: the error is its result.
    """
    known = task.known("ended", "broken")
    left = tuple(cell for cell in task.cells if cell not in known)
    return task.model_copy(update={"cells": left}) if left else None


def save_task(task: Task) -> Path:
    task.log.parent.mkdir(parents=True, exist_ok=True)
    return write_atomic(task.log.with_suffix(".json"), task.model_dump_json(indent=2))


LOOK_SECONDS: Final = 0.05
STARTS: Final = 2
"""How often a cluster is started before its cells are given up: a start may fail by chance."""
_FAULTS: Final = faults.__path__[0]


class WorkerProgress(ProgressFile):
    """The progress of a task; those of its repeats are too many, so that their phases are left out.

    A cell is named by its scenario.
    """

    def __init__(self, task: Task) -> None:
        super().__init__(task.progress)
        self._names = [cell.scenario.name for cell in task.cells]

    def phase(self, text: str) -> None:
        """Ignore it."""

    def say(self, text: str) -> None:
        super().phase(text)

    def begun(self, name: str) -> None:
        self.say(f"{name} ({self._names.index(name) + 1} of {len(self._names)})")

    def broken(self, name: str, error: Exception) -> None:
        """Report that a cell was cut short, why, and whether a fault could not act."""
        why = " ".join(str(error).split())
        frames = traceback.extract_tb(error.__traceback__)
        by_fault = any(frame.filename.startswith(_FAULTS) for frame in frames)
        self.write(broken=name, why=why, by_fault=by_fault)
        self.say(f"{name} was cut short: {why}")


class NotStartedError(InsyncError):
    """A cluster did not start, so that no cell ran on it."""


def do_task(task: Task, tools: Tools, progress: WorkerProgress) -> None:
    """Run all cells of a task; raises InsyncError if a cluster did not start."""
    names = (task.home.with_name(f"{task.home.name}-{number}") for number in count(2))
    homes = (home for home in chain([task.home], names) if not home.exists())
    go, failure = task.go if task.waits else None, None
    for group in by_cluster(task.cells):
        left, starts = group, 0
        while left:
            try:
                done = _run_on_one_cluster(left, tools, next(homes), progress, go)
            except NotStartedError as error:
                starts += 1
                progress.say(f"the cluster did not start: {' '.join(str(error).split())}")
                if starts == STARTS:
                    failure = error
                    break
            else:
                left, starts, go = left[done:], 0, None
    if failure is not None:
        raise failure


def by_cluster(cells: Sequence[CellSpec]) -> list[list[CellSpec]]:
    """Group the cells of an arm by the cluster that they require, in order."""
    groups: list[tuple[ClusterSpec, list[CellSpec]]] = []
    for cell in cells:
        want = cluster_spec(cell.scenario, cell.arm)
        for known, own in groups:
            # A broker's log folder can be on one disk only.
            if known == want and not disks_differ([each.scenario for each in (*own, cell)]):
                own.append(cell)
                break
        else:
            groups.append((want, [cell]))
    return [group for _, group in groups]


def _run_on_one_cluster(
    cells: Sequence[CellSpec],
    tools: Tools,
    home: Path,
    progress: WorkerProgress,
    go: Path | None,
) -> int:
    """Run cells until all are done or one fails; return how many were started.

    The first one begins when the file `go` is there, if one is named. Raises NotStartedError.
    """
    begun: list[CellSpec] = []
    whole: list[CellSpec] = []
    unusable: str | None = None
    with ExitStack() as opened:
        try:
            arm_cluster = opened.enter_context(open_arm_cluster(cells, tools, home, progress))
        except InsyncError as error:
            raise NotStartedError(str(error)) from error
        if go is not None:  # the process that started this one makes it, or ends this one
            progress.say("waiting for the other clusters")
            while not go.exists():
                time.sleep(LOOK_SECONDS)
        try:
            for cell in cells:
                begun.append(cell)
                progress.begun(cell.scenario.name)
                unusable = run_repeats(arm_cluster, cell, progress)
                whole.append(cell)
                if unusable is not None:
                    break
        except (InsyncError, OSError) as error:
            progress.broken(begun[-1].scenario.name, error)
        finally:
            # Also after an interrupt, so that finished cells are complete.
            with record_lack(begun[-1], unusable):
                write_histories(arm_cluster, begun)
            for cell in whole:
                progress.write(ended=cell.scenario.name)
    return len(begun)


def main(arguments: Sequence[str]) -> int:
    """Carry out the task in the file that is the only argument; return the exit code."""
    task = Task.model_validate_json(Path(arguments[0]).read_bytes())
    progress = WorkerProgress(task)
    try:
        with interruptible():
            do_task(task, find_tools(task.cells, progress), progress)
    except (InsyncError, OSError) as error:
        print(f"insync: {task.name}: {error}", file=sys.stderr)
        return Outcome.UNKNOWN.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
