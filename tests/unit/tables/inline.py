"""Makes data frames of a few rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from insync.analysis.engine.types import arrow_schema
from insync.analysis.tables.bronze.parse import EventKind
from insync.analysis.tables.contracts import CONTRACTS

PLACE: Mapping[str, Any] = {"run": "r", "arm": "a", "repeat": 0, "topic": "t", "partition": 0}
"""Where lines and rows are of unless a test says otherwise."""


def inline_table(rows: Sequence[Sequence[object]], columns: str) -> DataFrame:
    """Return a table of rows; `columns` is a schema in Spark's DDL."""
    spark = SparkSession.active()
    schema = arrow_schema(columns)
    if not rows:
        return spark.createDataFrame([], schema=from_arrow_schema(schema))
    named = [dict(zip(schema.names, row, strict=True)) for row in rows]
    return spark.createDataFrame(pa.Table.from_pylist(named, schema=schema))


def table(
    of: EventKind | str, names: str = "", rows: Iterable[Sequence[object]] = (), **known: Any
) -> DataFrame:
    """Return event lines of a kind, or rows of the table of that name.

    `names` are the columns that the rows have, `known` those with one value; others are null.
    """
    is_table = isinstance(of, str)
    columns = {each.name: each.type for each in CONTRACTS[of].columns} if is_table else of.readable
    found = [{**PLACE, **known, **dict(zip(names.split(), row, strict=True))} for row in rows]
    cells = [[each.get(name) for name in columns] for each in found]
    return inline_table(cells, ", ".join(f"{name} {type_}" for name, type_ in columns.items()))


def values(found: DataFrame, names: str, order: str) -> list[tuple[Any, ...]]:
    """Return some columns of the rows of a table, in the order of others."""
    rows = found.orderBy(*order.split()).collect()
    return [tuple(row[name] for name in names.split()) for row in rows]
