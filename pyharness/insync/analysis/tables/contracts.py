"""Defines the contract of a table: its columns with type, unit and meaning, its key, its rules.

Spark checks a contract while it writes the table. One line reports the first broken rule, and
the output is then not put in place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, Observation, Window
from pyspark.sql import functions as fn

from insync.errors import InsyncError

_EVERY = "rows"
_OF_KEY = "_of_key"
"""Temporary column: how many rows have the same key. It is dropped before the table is written."""


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
    """A rule for every row: in words, and as an SQL expression that must be true or null."""

    words: str
    sql: str


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

    def check_columns(self, table: DataFrame) -> None:
        """Raise InsyncError unless the table has the contract's columns and types, in its order."""
        expected = [f"{column.name} {column.type}" for column in self.columns]
        found = [f"{field.name} {field.dataType.simpleString()}" for field in table.schema]
        if found != expected:
            odd = sorted(set(found) ^ set(expected)) or ["another order"]
            raise InsyncError(
                f"table {self.name} breaks its contract:"
                f" found {odd[0]}, expected {', '.join(expected)}"
            )

    def check_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Raise InsyncError for the first broken rule of the key or of null; `rows` are all."""
        keys = Counter(self._place(row) for row in rows) if self.key else {}
        wrong = {f"{n} is null": sum(row[n] is None for row in rows) for n in self._never_null()}
        wrong[self._one_row()] = sum(number for number in keys.values() if number > 1)
        self.raise_first(wrong)

    def check_rules(self, broken: Sequence[Sequence[str]]) -> None:
        """Raise InsyncError for the first rule that is broken; `broken` as of `broken_rules`."""
        self.raise_first(Counter(_untrue(words) for of_row in broken for words in of_row))

    def broken_rules(self) -> SparkColumn:
        """Return the words of the rules that a row breaks."""
        none = fn.array().cast("array<string>")
        each = [fn.when(~fn.expr(rule.sql), fn.lit(rule.words)) for rule in self.rules]
        return fn.array_compact(fn.array(*each)) if each else none

    def in_order(self, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return rows in the contract's order; null is first."""
        return sorted(rows, key=self._place)

    def _place(self, row: Mapping[str, Any]) -> tuple[object, ...]:
        return tuple(_sortable(row[name]) for name in self.order)

    def _one_row(self) -> str:
        return f"more than one row for one {', '.join(self.key)}"

    def raise_first(self, wrong: Mapping[str, int]) -> None:
        """Raise InsyncError for the first rule that some rows break."""
        for rule, rows in wrong.items():
            if rows:
                raise InsyncError(f"table {self.name} breaks its contract: {rule} (rows: {rows})")

    def watched(self, table: DataFrame) -> tuple[DataFrame, Watched]:
        """Return the same table, and counts of broken rules that Spark fills as it writes it.

        The counts need no Spark job of their own. Rows of one key must be in one partition.
        """
        wrong = {f"{name} is null": fn.col(name).isNull() for name in self._never_null()}
        wrong |= {_untrue(rule.words): ~fn.expr(rule.sql) for rule in self.rules}
        if self.key:
            of_key = fn.count(fn.lit(1)).over(Window.partitionBy(*self.key))
            table = table.withColumn(_OF_KEY, of_key)
            wrong[self._one_row()] = fn.col(_OF_KEY) > 1
        rules_by_name = {f"c{number}": rule for number, rule in enumerate(wrong)}
        counts = (fn.count_if(wrong[rule]).alias(name) for name, rule in rules_by_name.items())
        observation = Observation()
        every = fn.count(fn.lit(1)).alias(_EVERY)
        counted = table.observe(observation, every, *counts).drop(_OF_KEY)
        return counted, Watched(self, rules_by_name, observation)

    @property
    def schema(self) -> str:
        """Return the columns and their types as Spark's DDL."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)

    def has_column(self, name: str) -> bool:
        """Return whether the table has a column of that name."""
        return any(column.name == name for column in self.columns)

    def _never_null(self) -> list[str]:
        return [column.name for column in self.columns if not column.null]


@dataclass(frozen=True)
class Watched:
    """How many rows a written table has, and how many break each rule of its contract."""

    contract: Contract
    rules_by_name: Mapping[str, str]
    counts: Observation

    @property
    def rows(self) -> int:
        """Return how many rows were written; call it after the table was written."""
        return int(self.counts.get[_EVERY])

    def check(self) -> None:
        """Raise InsyncError for the first broken rule; call it after the table was written."""
        counts = self.counts.get
        self.contract.raise_first({r: counts[name] for name, r in self.rules_by_name.items()})


def _untrue(words: str) -> str:
    return f"not true: {words}"


def _sortable(value: Any) -> tuple[bool, Any]:
    """Return what sorts as a value does, null first."""
    if isinstance(value, list):
        return True, tuple(_sortable(each) for each in value)
    return (False, 0) if value is None else (True, value)


def text(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of text."""
    return Column(name, "string", "", says, null)


def ms(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of milliseconds: a duration, or a point in time since the epoch."""
    return Column(name, "double", "ms", says, null)


def whole(name: str, says: str, unit: str = "", *, null: bool = False, of: str = "int") -> Column:
    """Return a column of whole numbers."""
    return Column(name, of, unit, says, null)


def count(name: str, says: str, unit: str = "", *, null: bool = False) -> Column:
    """Return a column of counts."""
    return Column(name, "bigint", unit, says, null)


def flag(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of booleans."""
    return Column(name, "boolean", "", says, null)


def ids(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of lists of broker ids."""
    return Column(name, "array<int>", "", says, null)
