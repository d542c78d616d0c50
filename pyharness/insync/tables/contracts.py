"""What a table promises: columns with type, unit and meaning, what is never null, its key.

A contract is checked against what was written; the first promise that is broken is named in
one line, and the output that it would have gone into is not put in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

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

    def broken(self, source: str) -> str:
        """Return the SQL for the promises about rows that some rows of `source` break.

        A row per promise: contract, promise, rows.
        """
        wrong = {f"{name} is null": f"{name} is null" for name in self._never_null()}
        wrong |= {f"not true: {rule.words}": f"not ({rule.sql})" for rule in self.rules}
        counts = {f"c{n}": f"count_if({found})" for n, found in enumerate(wrong.values())}
        told = dict(zip(counts, wrong, strict=True))
        if self.key:
            key = ", ".join(self.key)
            by_key = {"together": "count(1)", **counts}
            source = f"({_select(by_key, source)} group by {key})"
            counts = {name: f"sum({name})" for name in counts} | {"twice": "count_if(together > 1)"}
            told["twice"] = f"more than one row for one {key}"
        found = ", ".join(f"{_quoted(promise)}, {name}" for name, promise in told.items())
        stacked = {"(promise, rows)": f"stack({len(told)}, {found})"}
        each = _select(stacked, f"({_select(counts, source)})")
        told_of = {"contract": _quoted(self.name), "promise": "promise", "rows": "rows"}
        return f"{_select(told_of, f'({each})')} where rows > 0"

    def tells_of(self, name: str) -> bool:
        """Whether it has a column of that name."""
        return any(column.name == name for column in self.columns)

    def _never_null(self) -> list[str]:
        return [column.name for column in self.columns if not column.null]


def check_rows(tables: Mapping[str, tuple[Contract, DataFrame]]) -> None:
    """Hold rows against their contracts, all in one job; InsyncError for a promise broken.

    In SQL, for this is a thousand expressions: as columns each of them is several calls into
    the JVM, which took longer than the check. The names are for the query only.
    """
    each = [contract.broken(f"{{{name}}}") for name, (contract, _) in tables.items()]
    query = f"{' union all '.join(each)} order by contract, promise"
    named: dict[str, Any] = {name: table for name, (_, table) in tables.items()}
    found = next(iter(named.values())).sparkSession.sql(query, **named).head()
    if found is not None:
        raise InsyncError(
            f"table {found['contract']} breaks its contract:"
            f" {found['promise']} ({found['rows']} times)"
        )


def _select(columns: Mapping[str, str], source: str) -> str:
    named = ", ".join(f"{expression} as {name}" for name, expression in columns.items())
    return f"select {named} from {source}"  # noqa: S608 - made of contracts, of nobody's input


def _quoted(words: str) -> str:
    return "'" + words.replace("\\", "\\\\").replace("'", "\\'") + "'"


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
