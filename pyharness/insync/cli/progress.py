"""Draws what a run is doing: phase, repeats done, time gone; on standard error.

Where standard error is no terminal, each phase becomes one plain line.
"""

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn


class RichWatch:
    """A `run.watch.Watch` on the terminal; a context manager."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._started = time.monotonic()
        self._progress = Progress(
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
        """Show `text` as what is going on."""
        if self._console.is_terminal:
            self._progress.update(self._task, description=text)
        else:
            gone = time.monotonic() - self._started
            print(f"{gone:6.1f} s  {text}", file=self._console.file, flush=True)

    def expect(self, repeats: int) -> None:
        """Give the bar its length."""
        self._progress.update(self._task, total=repeats, completed=0)

    def repeat_done(self) -> None:
        """Move the bar by one repeat."""
        self._progress.advance(self._task)

    def stop(self) -> None:
        """Take the bar off the terminal; a second call does nothing."""
        self._progress.stop()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
