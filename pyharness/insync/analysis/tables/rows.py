"""Converts the rows of small tables: from Spark's JSON, to Arrow, to and from Parquet files.

A row is its columns by name. No function here needs Spark's JVM.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

if TYPE_CHECKING:
    from insync.analysis.tables.contracts import Contract

Row = dict[str, Any]
Rows = Mapping[str, list[Row]]
"""Each table by name; a row is its columns by name."""

_SIMPLE = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
}


def arrow_type(name: str) -> pa.DataType:
    """Return Arrow's type for Spark's simple string of a type."""
    if name in _SIMPLE:
        return _SIMPLE[name]
    outer, _, rest = name.partition("<")
    inner = _split(rest[:-1])
    if outer == "array":
        return pa.list_(arrow_type(rest[:-1]))
    if outer == "map":
        return pa.map_(*(arrow_type(part) for part in inner))
    fields = (part.partition(":") for part in inner)
    return pa.struct([(field, arrow_type(of)) for field, _, of in fields])


def _split(types: str) -> list[str]:
    """Split at the commas that are in no brackets."""
    parts, depth, begun = [], 0, 0
    for place, letter in enumerate(types):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append(types[begun:place])
            begun = place + 1
    return [*parts, types[begun:]]


def arrow_table(rows: Sequence[Row], contract: Contract) -> pa.Table:
    """Return the rows as a table with the contract's columns."""
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


def parsed(text: str, contract: Contract) -> Row:
    """Return the row that Spark's `to_json` wrote; it writes no number for NaN and infinity."""
    found = json.loads(text)
    return {
        column.name: float(value) if column.type == "double" and value is not None else value
        for column in contract.columns
        for value in (found[column.name],)
    }


def as_parquet(table: pa.Table) -> bytes:
    """Return the bytes of a Parquet file with the table."""
    target = BytesIO()
    parquet.write_table(table, target)
    return target.getvalue()


def read_parquet(files: Iterable[Path]) -> list[Row]:
    """Return the rows of Parquet files, file after file."""
    return [row for file in files for row in _rows(parquet.read_table(file))]


def _rows(table: pa.Table) -> Iterator[Row]:
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
