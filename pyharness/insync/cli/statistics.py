"""Print what repeats show together: medians, and differences from the control arms."""

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.report.statistics import differences_of, statistics_tables
from insync.result import Table as Shown
from insync.statistics import LEVEL

USUAL: Final = frozenset(
    {"isr_shrinks", "min_isr_size", "under_min_isr_ms", "max_ack_gap_ms", "p99_ms", "lost"}
)
"""The metrics that a run shows here; the report has all."""


def show_statistics(console: Console, folder: Path, metrics: Collection[str] = USUAL) -> None:
    """Print medians and differences of a run or a matrix whose cells have several repeats.

    They are of the named metrics, and of others in which an arm differs beyond noise.
    """
    rows = {name: _stored(folder, name) for name in ("medians", "differences")}
    clear = {each.metric for each in differences_of(rows) if (each.p_holm or 1) <= LEVEL}
    for table in statistics_tables(rows, {*metrics, *clear}):
        console.print(drawn(table))


def drawn(shown: Shown) -> Table:
    """Return a table of a page as one for the terminal."""
    table = Table(title=escape(shown.title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(shown.columns):
        table.add_column(name, justify="right" if place in shown.numeric else "left")
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table


def _stored(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a gold table; none if there is no such table."""
    from insync.analysis.tables.rows import read_parquet

    return read_parquet(sorted((folder / "tables" / "gold" / name).glob("*.parquet")))
