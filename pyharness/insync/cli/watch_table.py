"""Draw the state of runs in progress on the terminal: repeats, holds by site, last shrinks."""

from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from insync.analysis.tables.streaming.watch import Picture

LAST: Final = 12
"""How many repeats are shown: those that started last."""

_REPEAT: Final = (
    "holds", "longest\nms", "shrinks", "under\nmin ISR", "at\nmin ISR", "offline",
)  # fmt: skip


class Screen:
    """Shows pictures on standard output; if `live`, each one replaces the one before.

    Messages about progress go to standard error. A context manager.
    """

    def __init__(self, *, live: bool) -> None:
        self._console = Console()
        self._messages = Console(stderr=True, highlight=False)
        self._live = live and self._console.is_terminal
        self._stack = ExitStack()
        self._drawn: Live | None = None

    def tell(self, words: str) -> None:
        """Print a message about progress."""
        self._messages.print(escape(words))

    def show(self, picture: Picture) -> None:
        """Draw a picture."""
        drawn = draw(picture)
        if not self._live:
            self._console.print(drawn)
        elif self._drawn is None:
            on = Live(drawn, console=self._console, auto_refresh=False)
            self._drawn = self._stack.enter_context(on)
        else:
            self._drawn.update(drawn, refresh=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()


def draw(picture: Picture) -> RenderableType:
    """Return the tables of a picture, without the empty ones."""
    parts: list[RenderableType] = [Text(_headline(picture)), _repeats(picture.repeats[-LAST:])]
    if picture.holds_by_site:
        parts.append(_holds(picture.holds_by_site[-LAST:]))
    if picture.last_shrinks:
        parts.append(_shrinks(picture.last_shrinks))
    parts += [Text(problem, style="red") for problem in picture.problems]
    return Group(*parts)


def _headline(picture: Picture) -> str:
    others = f", {picture.unknown} records of unknown runs" if picture.unknown else ""
    return f"{picture.topic}: {picture.lines} lines, {picture.new_records} new records{others}"


def _repeats(rows: Sequence[dict[str, Any]]) -> Table:
    table = _table("run", "arm", "topic")
    for heading in ("seen\ns", *_REPEAT):
        table.add_column(heading, justify="right")
    for row in rows:
        going = "" if row["complete"] else " …"
        table.add_row(
            escape(row["run"]), escape(row["arm"]), f"{escape(row['topic'])}{going}",
            f"{row['seen_ms'] / 1e3:.1f}", str(row["holds"]), _whole(row["longest_hold_ms"]),
            _bad(str(row["shrinks"]), row["shrinks"]),
            *(_seconds(row[name]) for name in ("under_min_isr_ms", "at_min_isr_ms", "offline_ms")),
        )  # fmt: skip
    return table


def _holds(rows: Sequence[dict[str, Any]]) -> Table:
    table = _table("run", "arm", "stall at the leader")
    for heading in ("broker", "holds", "median\nms", "longest\nms"):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(
            escape(row["run"]), escape(row["arm"]), escape(row["site"] or "no fault"),
            str(row["broker"]), str(row["holds"]), _whole(row["median_ms"]),
            _whole(row["longest_ms"]),
        )  # fmt: skip
    return table


def _shrinks(rows: Sequence[dict[str, Any]]) -> Table:
    table = _table("last shrinks", "run", "arm", "partition", "removed", "cause")
    for row in rows:
        at = datetime.fromtimestamp(row["t_ms"] / 1e3).astimezone()
        removed = ", ".join(str(each) for each in row["removed"])
        table.add_row(
            f"{at:%H:%M:%S}", escape(row["run"]), escape(row["arm"]),
            f"{row['partition']} led by {row['leader']}",
            removed, escape(row["cause"]),
        )  # fmt: skip
    return table


def _table(*headings: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    return table


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _seconds(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return _bad(f"{milliseconds / 1e3:.1f} s", milliseconds)


def _bad(text: str, amount: float) -> str:
    return f"[red]{text}[/]" if amount else text
