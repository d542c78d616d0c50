"""Draw the progress of a run on standard error: phase, finished repeats, elapsed time.

If standard error is not a terminal, each phase is printed as one plain line.
"""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from insync.progress import Progress


class TerminalProgress(Progress):
    """Progress on the terminal; a context manager."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._started = time.monotonic()
        self._progress = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._progress.add_task("starting", total=None)

    def phase(self, text: str) -> None:
        """Show `text` as the current phase."""
        if self._console.is_terminal:
            self._progress.update(self._task, description=text)
        else:
            gone = time.monotonic() - self._started
            print(f"{gone:6.1f} s  {text}", file=self._console.file, flush=True)

    def expect(self, repeats: int) -> None:
        """Set the length of the bar."""
        self._progress.update(self._task, total=repeats, completed=0)

    def repeat_done(self) -> None:
        """Move the bar by one repeat."""
        self._progress.advance(self._task)

    def stop(self) -> None:
        """Remove the bar from the terminal; a second call does nothing."""
        self._progress.stop()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
