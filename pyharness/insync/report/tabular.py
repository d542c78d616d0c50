"""Defines a table of the page: all cells are text, numbers included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from insync.events.run_info import RunInfo
from insync.report.anchors import slug
from insync.report.timeline.timelines import Row

MOST_ROWS = 200
"""Rows of a table that are shown; the Parquet tables hold the rest."""

NONE = "None recorded."


@dataclass(frozen=True)
class Table:
    """A table with a heading; `numeric` columns are aligned to the right.

    `empty` is shown instead of no rows; `more` is how many rows are not shown.
    """

    title: str
    columns: Sequence[str]
    numeric: frozenset[int]
    rows: Sequence[Sequence[str]]
    empty: str
    more: int = 0

    def cut(self, most: int) -> Table:
        """Return the table with at most so many rows."""
        left_out = max(len(self.rows) - most, 0)
        return replace(self, rows=self.rows[:most], more=self.more + left_out)

    @property
    def grouped(self) -> bool:
        """Whether several rows have the same first cell."""
        return len({row[0] for row in self.rows}) < len(self.rows)

    @property
    def place(self) -> str:
        """Its anchor in the page."""
        return slug(self.title.partition(":")[0])


def table(
    title: str, columns: str, rows: Iterable[Sequence[str]], empty: str, text: set[int]
) -> Table:
    """Make a table, cut to `MOST_ROWS`.

    `columns` are separated by bars; those numbered in `text` hold text, the others numbers.
    """
    names = [name.strip() for name in columns.split("|")]
    numeric = frozenset(range(len(names))) - text
    kept = list(rows)
    more = max(len(kept) - MOST_ROWS, 0)
    return Table(title, names, numeric, kept[:MOST_ROWS], empty, more)


def in_order(run: RunInfo, table: Iterable[Row], *then: str) -> list[Row]:
    """Sort rows by arm in the run's order, then repeat, then the named columns, nulls first."""
    return sorted(
        table,
        key=lambda row: (
            run.arms.index(row["arm"]),
            row["repeat"],
            *((row[name] is not None, row[name]) for name in then),
        ),
    )
