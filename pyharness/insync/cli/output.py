"""What every command prints with: the console, JSON documents, tables, and verdicts."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.outcome import Outcome

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
    """Print the one document of --json."""
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


def painted(found: Outcome, text: str) -> str:
    """Return a text in the colour of an outcome."""
    return f"[{found.colour}]{text}[/]"


def print_verdict(console: Console, found: Outcome, reason: str) -> None:
    """Print an outcome and why it is that one."""
    console.print(f"[bold {found.colour}]{found}[/]: {escape(reason)}", soft_wrap=True)
