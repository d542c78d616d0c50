"""Exchange progress between the processes of a matrix, as JSON lines in a file beside the task."""

import json
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from insync import faults
from insync.events.writer import EventWriter
from insync.matrix.task import Task

_FAULTS: Final = faults.__path__[0]


def progress_file(task_file: Path) -> Path:
    """Return the file for a task's progress."""
    return task_file.with_suffix(".progress.jsonl")


class ProgressWriter:
    """Writes the progress of a task in its own process; a `run.progress.Progress` for its runs."""

    def __init__(self, task: Task, writer: EventWriter) -> None:
        self._task = task
        self._writer = writer

    def begun(self, scenario: str) -> None:
        """Report that a scenario begins."""
        names = [part.scenario for part in self._task.parts]
        place = f"{names.index(scenario) + 1} of {len(names)}"
        self._say(f"{scenario} ({place})")

    def waiting(self) -> None:
        """Report that the cluster is up and the first scenario waits for those of other tasks."""
        self._say("waiting for the other clusters")

    def ended(self, scenario: str) -> None:
        """Report that a scenario has finished."""
        self._writer.write({"ended": scenario})

    def broken(self, scenario: str, error: Exception) -> None:
        """Report that a scenario was cut short, why, and whether a fault could not act."""
        why = " ".join(str(error).split())
        frames = traceback.extract_tb(error.__traceback__)
        by_fault = any(frame.filename.startswith(_FAULTS) for frame in frames)
        self._writer.write({"broken": scenario, "why": why, "by_fault": by_fault})
        self._say(f"{scenario} was cut short: {why}")

    def not_started(self, error: Exception) -> None:
        """Report that a cluster did not start, and why."""
        self._say(f"the cluster did not start: {' '.join(str(error).split())}")

    def phase(self, text: str) -> None:
        """Ignore the phases of a repeat, because a matrix has too many."""

    def expect(self, repeats: int) -> None:
        """Ignore it, because the process that started the task knows it."""

    def repeat_done(self) -> None:
        """Report that one more repeat is done."""
        self._writer.write({"repeat_done": True})

    def _say(self, text: str) -> None:
        self._writer.write({"phase": text})


class ProgressReader:
    """Reads the progress of a task in the process that started it; only complete lines.

    `ended` are the scenarios that have finished.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.ended: set[str] = set()

    def news(self) -> Iterator[dict[str, object]]:
        """Yield the lines that were added since the last call."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            news = json.loads(line)
            if "ended" in news:
                self.ended.add(news["ended"])
            yield news
