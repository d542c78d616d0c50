"""How the processes of a matrix tell what they do: JSON lines in a file beside their task."""

import json
from collections.abc import Iterator
from pathlib import Path

from insync.events.writer import EventWriter
from insync.matrix.task import Task


def progress_file(task_file: Path) -> Path:
    """Return the file in which a task's progress is told."""
    return task_file.with_suffix(".progress.jsonl")


class ProgressWriter:
    """The side of the process that does a task; a `run.progress.Progress` for its runs."""

    def __init__(self, task: Task, writer: EventWriter) -> None:
        self._task = task
        self._writer = writer

    def begun(self, scenario: str) -> None:
        """Tell that a scenario begins."""
        names = [part.scenario for part in self._task.parts]
        place = f"{names.index(scenario) + 1} of {len(names)}"
        self._say(f"{scenario} ({place})")

    def ended(self, scenario: str) -> None:
        """Tell that a scenario came to its end."""
        self._writer.write({"ended": scenario})

    def broken(self, scenario: str, error: Exception) -> None:
        """Tell that a scenario was cut short, and why."""
        self._say(f"{scenario} was cut short: {' '.join(str(error).split())}")

    def phase(self, text: str) -> None:
        """Leave out the phases of a repeat: a matrix has too many."""

    def expect(self, repeats: int) -> None:
        """Ignore it: who started the task knows."""

    def repeat_done(self) -> None:
        """Tell that one more repeat is over."""
        self._writer.write({"repeat_done": True})

    def _say(self, text: str) -> None:
        self._writer.write({"phase": text})


class ProgressReader:
    """The side of the one who started the task; `ended` are the scenarios that came to their end.

    Lines are read as far as they are whole.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0
        self.ended: set[str] = set()

    def news(self) -> Iterator[dict[str, object]]:
        """Yield the lines that are new since the last call."""
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
