"""Adds to each row the row before it, or the largest before it, in histories of any length.

A window over a partition sorts all its rows in one task, so that one hot partition takes as long
as the whole job. Here a history is cut into chunks along its order. Each chunk is aggregated to
one row, a window over these few rows gives what came before each chunk, and that is joined to
windows that end with their chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

CHUNK = 1 << 16
"""How many units of the order (offsets, polls or ms) one chunk covers."""

_CHUNK = "chunk"


def with_previous(
    rows: DataFrame, keys: Sequence[str], order: str, columns: Sequence[str]
) -> DataFrame:
    """Add `previous_COLUMN` for each of `columns`: its value in the row before, by `order`.

    The row before is that of the same `keys`; the value is null in the first row. `order` is a
    number, `keys` are not null.
    """
    cut = _cut(rows, order)
    in_order = Window.partitionBy(*keys).orderBy(_CHUNK)
    lasts = cut.groupBy(*keys, _CHUNK).agg(*(fn.max_by(c, order).alias(c) for c in columns))
    before = lasts.select(
        *keys, _CHUNK, *(fn.lag(c).over(in_order).alias(f"before_{c}") for c in columns)
    )
    inside = Window.partitionBy(*keys, _CHUNK).orderBy(order)
    return (
        cut.join(before, [*keys, _CHUNK], "inner")
        .withColumns(
            {f"previous_{c}": fn.coalesce(fn.lag(c).over(inside), f"before_{c}") for c in columns}
        )
        .drop(_CHUNK, *(f"before_{c}" for c in columns))
    )


def with_most(
    rows: DataFrame, keys: Sequence[str], order: str, most: str, columns: Sequence[str]
) -> DataFrame:
    """Add `most_COLUMN` for `most` and each of `columns`: their values in the largest row before.

    That is the row with the largest `most` among those of the same `keys` with a lower `order`. The
    value is null in the first row. `order` is a whole number.
    """
    wanted = [most, *columns]
    # One struct is compared and moved at once, where a column each would be as many aggregates.
    at_most = fn.max_by(fn.struct(*wanted), most)
    cut = _cut(rows, order)
    peaks = cut.groupBy(*keys, _CHUNK).agg(at_most.alias("peak"))
    chunks_before = (
        Window.partitionBy(*keys).orderBy(_CHUNK).rowsBetween(Window.unboundedPreceding, -1)
    )
    peak_before = fn.max_by("peak", fn.col("peak")[most]).over(chunks_before)
    before = peaks.select(*keys, _CHUNK, peak_before.alias("before"))
    inside = (
        Window.partitionBy(*keys, _CHUNK).orderBy(order).rangeBetween(Window.unboundedPreceding, -1)
    )
    joined = cut.join(before, [*keys, _CHUNK], "inner").withColumn("inside", at_most.over(inside))
    earlier, here = fn.col("before")[most], fn.col("inside")[most]
    from_before = here.isNull() | (earlier > here)
    found = joined.withColumn(
        "found", fn.when(from_before, fn.col("before")).otherwise(fn.col("inside"))
    )
    return found.withColumns({f"most_{name}": fn.col("found")[name] for name in wanted}).drop(
        _CHUNK, "before", "inside", "found"
    )


def _cut(rows: DataFrame, order: str) -> DataFrame:
    return rows.withColumn(_CHUNK, fn.floor(fn.col(order) / CHUNK))
