"""What a table promises: columns with type, unit and meaning, what is never null, its key.

A contract is checked against what was written; the first promise that is broken is named in
one line, and the output that it would have gone into is not put in place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.errors import InsyncError


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

    def broken(self, table: DataFrame) -> DataFrame:
        """Return a row per promise about rows that some of them break: promise, rows."""
        wrong = {f"{name} is null": fn.col(name).isNull() for name in self._never_null()}
        wrong |= {f"not true: {rule.words}": ~fn.expr(rule.sql) for rule in self.rules}
        names = {promise: f"c{number}" for number, promise in enumerate(wrong)}
        counts = [fn.count_if(wrong[promise]).alias(name) for promise, name in names.items()]
        if self.key:
            table = table.groupBy(*self.key).agg(fn.count(fn.lit(1)).alias("rows"), *counts)
            counts = [fn.sum(name).alias(name) for name in names.values()]
            counts.append(fn.count_if(fn.col("rows") > 1).alias("twice"))
            names[f"more than one row for one {', '.join(self.key)}"] = "twice"
        found = [
            fn.struct(fn.lit(promise).alias("promise"), fn.col(name).cast("long").alias("rows"))
            for promise, name in names.items()
        ]
        each = table.agg(*counts).select(fn.inline(fn.array(*found)))
        return each.where(fn.col("rows") > 0)

    def tells_of(self, name: str) -> bool:
        """Whether it has a column of that name."""
        return any(column.name == name for column in self.columns)

    def _never_null(self) -> list[str]:
        return [column.name for column in self.columns if not column.null]


def check_rows(tables: Iterable[tuple[Contract, DataFrame]]) -> None:
    """Hold rows against their contracts, all in one job; InsyncError for a promise broken."""
    each = (
        contract.broken(table).withColumn("contract", fn.lit(contract.name))
        for contract, table in tables
    )
    found = reduce(DataFrame.unionByName, each).orderBy("contract", "promise").head()
    if found is not None:
        raise InsyncError(
            f"table {found['contract']} breaks its contract:"
            f" {found['promise']} ({found['rows']} times)"
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
