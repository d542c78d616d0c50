"""Defines the contract of a table: its columns with type, unit and meaning, its key, its rules.

Those of all tables, by layer, are in contracts.toml.

A contract is checked when a table is stored: in this process if it was collected, else by the
engine. One line reports the first broken rule, and the output is then not put in place.
"""

from __future__ import annotations

import operator
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.pandas.types import from_arrow_type

from insync.analysis.checks.registry import metrics_checked
from insync.analysis.engine.types import arrow_type
from insync.errors import InsyncError

_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {">=": operator.ge, ">": operator.gt}


@dataclass(frozen=True)
class Column:
    """A column: its type as Spark's simple string, its unit ("" if none) and its description."""

    name: str
    type: str
    unit: str
    says: str
    null: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule for every row: in words, and as a comparison of two columns or of one with 0.

    It must be true or null.
    """

    words: str
    sql: str

    def of(self, column: Callable[[str], Any]) -> Any:
        """Return the comparison; `column` returns a column by its name, of Arrow or of Spark."""
        left, sign, right = self.sql.split()
        return _COMPARISONS[sign](column(left), 0 if right == "0" else column(right))


@dataclass(frozen=True)
class Contract:
    """The schema of a table and the rules for its rows.

    The `key` columns together identify a row; null counts as a value. Without a `key` a row is a
    line as recorded, and rows may be equal. `bulk` tables grow with the number of records of a
    run, all others with the number of its events.
    """

    name: str
    says: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()
    bulk: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """Return the columns that rows are sorted by: the key, else all that can be sorted."""
        comparable = (c.name for c in self.columns if not c.type.startswith("map"))
        return self.key or tuple(comparable)

    def conformed(self, table: pa.Table) -> pa.Table:
        """Return a collected table in the contract's order, with exactly its types.

        Raises InsyncError for the first broken rule.
        """
        self.check_columns({c.name: from_arrow_type(c.type).simpleString() for c in table.schema})
        typed = table.cast(self.arrow_schema)
        self.check(typed)
        return typed.take(pc.sort_indices(*self._sortable(typed)))

    def check_columns(self, types: Mapping[str, str]) -> None:
        """Raise InsyncError unless the columns are the contract's, in its order."""
        expected = [f"{column.name} {column.type}" for column in self.columns]
        found = [f"{name} {of}" for name, of in types.items()]
        if found != expected:
            odd = sorted(set(found) ^ set(expected)) or ["another order"]
            raise InsyncError(
                f"table {self.name} breaks its contract:"
                f" found {odd[0]}, expected {', '.join(expected)}"
            )

    def check(self, table: pa.Table) -> None:
        """Raise InsyncError for the first rule that a collected table breaks."""
        wrong = {f"{name} is null": table.column(name).null_count for name in self._never_null()}
        for rule in self.rules:
            wrong[f"not true: {rule.words}"] = table.filter(~rule.of(pc.field)).num_rows
        if self.key:
            keys = self._sortable(table)[0].group_by(list(self.key)).aggregate([([], "count_all")])
            twice = keys.filter(pc.field("count_all") > 1).column("count_all")
            wrong[self._one_row()] = pc.sum(twice).as_py() or 0
        self._raise_first(wrong)

    def check_stored(self, table: DataFrame) -> None:
        """Raise InsyncError for the first rule that a table breaks which the engine has stored."""
        self.check_columns({each.name: each.dataType.simpleString() for each in table.schema})
        wrong = {f"{name} is null": fn.col(name).isNull() for name in self._never_null()}
        wrong |= {f"not true: {rule.words}": ~rule.of(fn.col) for rule in self.rules}
        counts = [fn.count_if(each).alias(str(n)) for n, each in enumerate(wrong.values())]
        (found,) = table.agg(*counts).toArrow().to_pylist()
        broken = dict(zip(wrong, found.values(), strict=True))
        if self.key:
            of_key = table.groupBy(*self.key).agg(fn.count(fn.lit(1)).alias("rows"))
            twice = of_key.where("rows > 1").agg(fn.sum("rows").alias("rows")).toArrow()
            broken[self._one_row()] = twice.column("rows")[0].as_py() or 0
        self._raise_first(broken)

    def _sortable(self, table: pa.Table) -> tuple[pa.Table, list[tuple[str, str, str]]]:
        """Return columns that sort as those of the order do: lists as texts of their values."""
        columns = {}
        for name in self.order:
            column = table.column(name)
            if pa.types.is_nested(column.type):
                column = pa.chunked_array([pa.array(map(_as_text, column.to_pylist()))])
            columns[name] = column
        return pa.table(columns), [(name, "ascending", "at_start") for name in columns]

    def _one_row(self) -> str:
        return f"more than one row for one {', '.join(self.key)}"

    def _raise_first(self, wrong: Mapping[str, int]) -> None:
        for rule, rows in wrong.items():
            if rows:
                raise InsyncError(f"table {self.name} breaks its contract: {rule} (rows: {rows})")

    @property
    def arrow_schema(self) -> pa.Schema:
        """Return the columns with Arrow's types."""
        return pa.schema([(column.name, arrow_type(column.type)) for column in self.columns])

    @property
    def schema(self) -> str:
        """Return the columns and their types as Spark's DDL."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)

    def has_column(self, name: str) -> bool:
        """Return whether the table has a column of that name."""
        return any(column.name == name for column in self.columns)

    def _never_null(self) -> list[str]:
        return [column.name for column in self.columns if not column.null]


def _as_text(value: Any) -> str:
    """Return a text that sorts as a list of whole numbers or texts does; null is first."""
    return "" if value is None else "".join(f"{each!s:0>20}" for each in value)


_COLUMN = re.compile(r"(?P<name>\w+) (?P<type>\S+?)(\[(?P<unit>.+?)\])?(?P<null>\?)?: (?P<says>.+)")
_TYPES = {
    "text": "string",
    "flag": "boolean",
    "ms": "double",
    "operations": "array<struct<what:string,who:int,seq:bigint,offset:bigint,at_ms:double,"
    "note:string>>",
}


def columns_of(text: str, groups: Mapping[str, str] | None = None) -> tuple[Column, ...]:
    """Return the columns that the lines of a text describe, as in contracts.toml."""
    found: list[Column] = []
    for line in text.splitlines():
        part = _COLUMN.fullmatch(line)
        if part is None:
            found += columns_of((groups or {})[line.removeprefix("@")], groups)
            continue
        name, of, unit, null, says = part.group("name", "type", "unit", "null", "says")
        unit = unit or ("ms" if of == "ms" else "")
        found.append(Column(name, _TYPES.get(of, of), unit, says, null is not None))
    return tuple(found)


FILE = Path(__file__).with_name("contracts.toml")


def _read() -> Iterator[tuple[str, tuple[Contract, ...]]]:
    layers = tomllib.loads(FILE.read_text(encoding="utf-8"))
    counted = "\n".join(f"{name} bigint?: anomalies of this metric" for name in metrics_checked())
    groups = {**layers.pop("groups"), "METRICS": counted}
    for layer, tables in layers.items():
        yield layer, tuple(_contract(name, of, groups) for name, of in tables.items())


def _contract(name: str, of: Mapping[str, Any], groups: Mapping[str, str]) -> Contract:
    key = [
        name
        for word in of.get("key", "").split()
        for name in ([c.name for c in columns_of(word, groups)] if "@" in word else [word])
    ]
    rules = tuple(Rule(words, sql) for words, sql in of.get("rules", {}).items())
    columns = columns_of(of["columns"], groups)
    return Contract(name, of["says"], tuple(key), columns, rules, of.get("bulk", False))


LAYERS: dict[str, tuple[Contract, ...]] = dict(_read())
CONTRACTS = {contract.name: contract for of_layer in LAYERS.values() for contract in of_layer}
FOLDERS = {each.name: f"{layer}/{each.name}" for layer, of in LAYERS.items() for each in of}
"""The folder of each table in a folder of tables."""
_OF_RUNS = ("input_lines", "medians", "differences")


def read_by_reports() -> tuple[Contract, ...]:
    """Return the tables that verdict and report read.

    These are the tables of repeats that do not grow with the number of records, `input_lines`, and
    the two tables over all repeats.
    """
    return tuple(
        contract
        for contract in CONTRACTS.values()
        if contract.name in _OF_RUNS or (contract.has_column("repeat") and not contract.bulk)
    )
