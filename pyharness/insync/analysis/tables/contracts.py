"""What a table promises: columns with type, unit and meaning, what is never null, its key.

A contract is checked as its table is written; the first promise that is broken is named in
one line, and the output that it would have gone into is not put in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame, Observation, Window
from pyspark.sql import functions as fn

from insync.errors import InsyncError

_OF_KEY = "_of_key"
"""How many rows have a row's key: a column that is gone before the table is written."""


@dataclass(frozen=True)
class Column:
    """A column: type as Spark's simple strings have it, unit ("" if none), what it says."""

    name: str
    type: str
    unit: str
    says: str
    null: bool = False


@dataclass(frozen=True)
class Rule:
    """What holds in every row: in words, and as an SQL expression that is true or null."""

    words: str
    sql: str


@dataclass(frozen=True)
class Contract:
    """A table's promise. `key` columns together name a row; null is a value there.

    Without a `key` a row is a line as it was recorded: one that comes twice is a finding for
    others to make, no broken promise.

    `bulk` tables grow with the records of a run, all others with what happened in it.
    """

    name: str
    says: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()
    bulk: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """The columns by which rows are put in order: the key, else all that can be compared."""
        comparable = (c.name for c in self.columns if not c.type.startswith("map"))
        return self.key or tuple(comparable)

    def check_columns(self, table: DataFrame) -> None:
        """Raise InsyncError unless names and types are as promised, in that order."""
        promised = [f"{column.name} {column.type}" for column in self.columns]
        found = [f"{field.name} {field.dataType.simpleString()}" for field in table.schema]
        if found != promised:
            odd = sorted(set(found) ^ set(promised)) or ["another order"]
            raise InsyncError(
                f"table {self.name} breaks its contract:"
                f" found {odd[0]}, expected {', '.join(promised)}"
            )

    def watched(self, table: DataFrame) -> tuple[DataFrame, Watched]:
        """Return the same table, and what is counted of it as it is written: no job of its own.

        Rows of one key must be in one of its partitions.
        """
        wrong = {f"{name} is null": fn.col(name).isNull() for name in self._never_null()}
        wrong |= {f"not true: {rule.words}": ~fn.expr(rule.sql) for rule in self.rules}
        if self.key:
            of_key = fn.count(fn.lit(1)).over(Window.partitionBy(*self.key))
            table = table.withColumn(_OF_KEY, of_key)
            wrong[f"more than one row for one {', '.join(self.key)}"] = fn.col(_OF_KEY) > 1
        if not wrong:
            return table, Watched(self.name, {}, None)
        promises = {f"c{number}": promise for number, promise in enumerate(wrong)}
        counts = (fn.count_if(wrong[promise]).alias(name) for name, promise in promises.items())
        observation = Observation()
        counted = table.observe(observation, *counts).drop(_OF_KEY)
        return counted, Watched(self.name, promises, observation)

    @property
    def schema(self) -> str:
        """Its columns and their types in Spark's words."""
        return ", ".join(f"`{column.name}` {column.type}" for column in self.columns)

    def tells_of(self, name: str) -> bool:
        """Whether it has a column of that name."""
        return any(column.name == name for column in self.columns)

    def _never_null(self) -> list[str]:
        return [column.name for column in self.columns if not column.null]


@dataclass(frozen=True)
class Watched:
    """What is counted of a table as it is written: rows that break each of the promises."""

    table: str
    promises: Mapping[str, str]
    counts: Observation | None

    def check(self) -> None:
        """Raise InsyncError for a promise that was broken; the table has been written."""
        counts = {} if self.counts is None else self.counts.get
        for name, promise in self.promises.items():
            if rows := counts[name]:
                raise InsyncError(
                    f"table {self.table} breaks its contract: {promise} (rows: {rows})"
                )


def text(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of words."""
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
    """Return a column of yes and no."""
    return Column(name, "boolean", "", says, null)


def ids(name: str, says: str, *, null: bool = False) -> Column:
    """Return a column of lists of broker ids."""
    return Column(name, "array<int>", "", says, null)
