"""Define the task of one worker: all cells of one build on one arm, which can share clusters.

The task is a file, and the worker gets the file's path as its only argument.
"""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from insync.events.writer import write_atomic
from insync.progress import ProgressReader
from insync.run.cell import CellSpec

TASKS: Final = "tasks"
_PROGRESS: Final = ".progress.jsonl"
Ended = Collection[tuple[Path, str]]
"""The arms that have come to their end, with the folder of their run."""


class Task(BaseModel):
    """The cells of one arm, in order; `home` is the folder for its nodes.

    `folder` has the tasks, logs and progress of its build. Where `go` is a file, the first cell
    begins when that file is there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cells: tuple[CellSpec, ...] = Field(min_length=1)
    folder: Path
    home: Path
    go: Path | None = None

    @property
    def arm(self) -> str:
        """The arm of all cells."""
        return self.cells[0].arm

    @property
    def name(self) -> str:
        """The task's name for readers."""
        return f"{self.cells[0].build} {self.arm}"

    @property
    def file(self) -> Path:
        """The file of the task."""
        return self.folder / f"{self.arm}.json"

    @property
    def log(self) -> Path:
        """The file with what its worker prints."""
        return self.folder / f"{self.arm}.log"

    @property
    def progress(self) -> Path:
        """The file with the progress of its worker."""
        return progress_file(self.folder, self.arm)


def progress_file(folder: Path, arm: str) -> Path:
    """Return the file with the progress of an arm in a folder of tasks."""
    return folder / f"{arm}{_PROGRESS}"


def tasks_of(cells: Iterable[CellSpec], folder: Path) -> list[Task]:
    """Return a task per build and arm of the cells, build after build.

    `folder` is that of all runs together.
    """
    found: dict[tuple[str, str], list[CellSpec]] = {}
    for cell in cells:
        found.setdefault((cell.build, cell.arm), []).append(cell)
    return [
        Task(
            cells=tuple(own), folder=folder / build / TASKS, home=folder / build / "nodes" / arm
        )
        for (build, arm), own in found.items()
    ]  # fmt: skip


def ended_of(tasks: Iterable[Task]) -> Ended:
    """Return the cells of tasks that have come to their end, by the progress of their workers."""
    return {
        (cell.out, cell.arm)
        for task in tasks
        for names in [_told(task.progress, "ended")]
        for cell in task.cells
        if cell.scenario.name in names
    }


def without_known(task: Task) -> Task | None:
    """Return the task with the cells that were not run yet, None if there are none.

    A cell that was cut short by an error is known as well: the error is its result.
    """
    known = _told(task.progress, "ended", "broken")
    left = tuple(cell for cell in task.cells if cell.scenario.name not in known)
    return task.model_copy(update={"cells": left}) if left else None


def _told(progress: Path, *kinds: str) -> set[str]:
    lines = ProgressReader(progress).news()
    return {news[kind] for news in lines for kind in kinds if kind in news}


def save_task(task: Task) -> Path:
    """Write the task into its folder; return its path."""
    task.folder.mkdir(parents=True, exist_ok=True)
    return write_atomic(task.file, task.model_dump_json(indent=2))


def load_task(path: Path) -> Task:
    """Read a task; raises OSError, or ValueError if the file is invalid."""
    return Task.model_validate_json(path.read_bytes())
