"""Report how a command gets on: to nobody, or to the process that started this one, by a file.

The command line draws it (`cli.output`).
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

Announce = Callable[[str], None]
"""Gets the name of each stage of an analysis when it begins."""
START: Final = "starting the engine"
BRONZE: Final = "bronze"
TABLES: Final = "tables and checks"
REPORT: Final = "verdict and report"


def silent(stage: str) -> None:
    """Ignore a stage."""


class Progress:
    """Receives the progress of a command; this one shows nothing."""

    def phase(self, text: str) -> None:
        """Report that a phase begins; `text` describes it in a few words."""

    def expect(self, repeats: int) -> None:
        """Report how many repeats there are in all."""

    def repeat_done(self) -> None:
        """Report that one more repeat is done."""


class ProgressFile(Progress):
    """Writes progress as JSON lines, for a `ProgressReader` in another process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def phase(self, text: str) -> None:
        self.write(phase=text)

    def repeat_done(self) -> None:
        self.write(repeat_done=True)

    def write(self, **news: Any) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(news)}\n")


class ProgressReader:
    """Reads the progress of another process; only complete lines."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def news(self) -> Iterator[dict[str, Any]]:
        """Yield the lines that were added since the last call."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read)
            text = file.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._read += len(whole)
        yield from map(json.loads, whole.splitlines())
