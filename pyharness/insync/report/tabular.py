"""Makes the tables of a page: all cells are text, numbers included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from insync.events.run_info import RunInfo
from insync.report.timeline.timelines import Row
from insync.result import Table

MOST_ROWS = 200
"""Rows of a table that are shown; the Parquet tables hold the rest."""

NONE = "None recorded."


def table(
    title: str, columns: str, rows: Iterable[Sequence[str]], empty: str, text: set[int]
) -> Table:
    """Make a table, cut to `MOST_ROWS`.

    `columns` are separated by bars; those numbered in `text` hold text, the others numbers.
    """
    names = [name.strip() for name in columns.split("|")]
    numeric = [place for place in range(len(names)) if place not in text]
    made = Table(title=title, columns=names, numeric=numeric, rows=list(rows), empty=empty)
    return made.cut(MOST_ROWS)


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
