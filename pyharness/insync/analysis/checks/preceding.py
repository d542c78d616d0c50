"""Adds to each row the row before it, or the largest before it, in histories of any length.

A window over a partition sorts all its rows in one task, so that one hot partition takes as long
as the whole job. Here a history is cut into chunks along its order. Each chunk is aggregated to
one row. A window over these few rows gives what came before each chunk, and that is added to the
chunk as one more row before the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

CHUNK = 1 << 16
"""How many units of the order (offsets or polls) one chunk covers."""

_BEFORE = (Window.unboundedPreceding, -1)


def with_previous(
    rows: DataFrame, keys: Sequence[str], order: str, columns: Sequence[str]
) -> DataFrame:
    """Return the keys, `columns`, and `previous_COLUMN` for each: its value in the row before.

    The row before is that of the same `keys`, by `order`, which is one of the columns and a number;
    the value is null in the first row. `keys` are not null.
    """
    row = fn.lag(fn.struct(*columns))
    chunks = row.over(Window.partitionBy(*keys).orderBy("chunk"))
    inside = row.over(Window.partitionBy(*keys, "chunk").orderBy(order))
    return _with_before(rows, keys, order, columns, "previous", order, chunks, inside)


def with_most(
    rows: DataFrame, keys: Sequence[str], order: str, most: str, columns: Sequence[str]
) -> DataFrame:
    """Return the keys, `columns`, and `most_COLUMN` for each: its value in the largest row before.

    That is the row with the largest `most` among those of the same `keys` with a lower `order`,
    both of which are among the columns. The value is null in the first row. `order` is a whole
    number.
    """
    row = fn.max_by(fn.struct(*columns), most)
    chunks = row.over(Window.partitionBy(*keys).orderBy("chunk").rowsBetween(*_BEFORE))
    inside = row.over(Window.partitionBy(*keys, "chunk").orderBy(order).rangeBetween(*_BEFORE))
    return _with_before(rows, keys, order, columns, "most", most, chunks, inside)


def _with_before(
    rows: DataFrame,
    keys: Sequence[str],
    order: str,
    columns: Sequence[str],
    name: str,
    most: str,
    chunks: Column,
    inside: Column,
) -> DataFrame:
    """Add a row's value by `inside`; `chunks` is that of the rows with each chunk's largest `most`.

    The names of the new columns begin with `name`.
    """
    chunk, added = fn.floor(fn.col(order) / CHUNK).alias("chunk"), fn.lit(True).alias("added")
    cut = rows.select(*keys, *columns, chunk, fn.lit(False).alias("added"))
    # A column each, because Spark sorts all rows to aggregate structs.
    largest = cut.groupBy(*keys, "chunk").agg(*(fn.max_by(c, most).alias(c) for c in columns))
    before = largest.select(*keys, "chunk", added, chunks.alias("row")).where("row IS NOT NULL")
    both = cut.unionByName(before.select(*keys, "chunk", "added", "row.*"))
    found = both.withColumn("row", inside).where("NOT added")
    named = (fn.col("row")[column].alias(f"{name}_{column}") for column in columns)
    return found.select(*keys, *columns, *named)
