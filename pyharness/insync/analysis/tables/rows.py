"""Converts the rows of tables to Arrow, and to and from Parquet files.

A row is its columns by name. No function here needs an engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from insync.analysis.engine.types import arrow_type

if TYPE_CHECKING:
    from insync.analysis.tables.contracts import Contract

Row = dict[str, Any]
Rows = Mapping[str, list[Row]]
"""Each table by name; a row is its columns by name."""


def arrow_table(rows: Sequence[Row], contract: Contract) -> pa.Table:
    """Return rows as a table with the contract's columns."""
    columns = {
        column.name: pa.array(
            [_entries(row[column.name]) for row in rows], type=arrow_type(column.type)
        )
        for column in contract.columns
    }
    return pa.table(columns)


def _entries(value: Any) -> Any:
    """Return a map as Arrow takes it."""
    return list(value.items()) if isinstance(value, dict) else value


def as_parquet(table: pa.Table) -> bytes:
    """Return the bytes of a Parquet file with the table."""
    target = BytesIO()
    parquet.write_table(table, target)
    return target.getvalue()


def read_parquet(files: Iterable[Path]) -> list[Row]:
    """Return the rows of Parquet files, file after file."""
    # Not `read_table`, which imports Arrow's datasets, and with them pandas.
    return [row for file in files for row in rows_of(parquet.ParquetFile(file).read())]


def rows_of(table: pa.Table) -> Iterator[Row]:
    """Yield the rows of a table; Arrow gives a map as a list of pairs."""
    maps = {each.name for each in table.schema if pa.types.is_map(each.type)}
    for row in table.to_pylist():
        pairs = {name: dict(row[name]) for name in maps if row[name] is not None}
        yield {**row, **pairs}


def rows_of_run(rows: Rows, run: str | None, cell: Mapping[str, object] | None = None) -> Rows:
    """Return the rows of one run.

    Tables over all repeats have no column `run`: of them the rows of the run's `cell`, which are
    columns with their values; all if it is None.
    """
    of_cell = {} if cell is None else cell
    return {
        name: [row for row in table if _is_of(row, {"run": run} if "run" in row else of_cell)]
        for name, table in rows.items()
    }


def _is_of(row: Row, wanted: Mapping[str, object]) -> bool:
    return all(row[name] == value for name, value in wanted.items())
