"""What every command prints with: the console, progress, JSON documents, tables, and verdicts."""

import json
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Self

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.table import Table

from insync.outcome import Outcome
from insync.progress import Progress

FILE_WIDTH: Final = 160


def results_console(*, as_json: bool = False) -> Console:
    """Return where results are printed: standard output, or standard error beside JSON.

    A file or a pipe is wider than most terminals, so that no table is folded in it.
    """
    console = Console(stderr=as_json, highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, FILE_WIDTH)
    return console


def print_json(document: Any) -> None:
    print(json.dumps(document, indent=2))


def text_table(
    columns: str, rows: Iterable[Sequence[str]], title: str = "", words: Collection[int] = (0,)
) -> Table:
    """Return a table of rows whose cells may have markup; `columns` are parted by " | ".

    Columns whose places are not in `words` are numbers. A name in the first column is never folded.
    """
    table = Table(
        title=escape(title) or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False,
        collapse_padding=True,
    )  # fmt: skip
    for place, name in enumerate(columns.split(" | ")):
        table.add_column(
            name, justify="left" if place in words else "right", overflow="fold",
            no_wrap=place == 0,
        )  # fmt: skip
    for row in rows:
        table.add_row(*row)
    return table


def print_verdict(console: Console, found: Outcome, reason: str) -> None:
    """Print an outcome and why it is that one."""
    console.print(f"[bold {found.colour}]{found}[/]: {escape(reason)}", soft_wrap=True)


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
        if self._console.is_terminal:
            self._progress.update(self._task, description=text)
        else:
            gone = time.monotonic() - self._started
            print(f"{gone:6.1f} s  {text}", file=self._console.file, flush=True)

    def expect(self, repeats: int) -> None:
        self._progress.update(self._task, total=repeats, completed=0)

    def repeat_done(self) -> None:
        self._progress.advance(self._task)

    def stop(self) -> None:
        """Remove the bar from the terminal; a second call does nothing."""
        self._progress.stop()

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
