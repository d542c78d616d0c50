"""Adds to each row the row before it, or the largest before it, in histories of any length.

A window over a partition sorts all its rows in one task, so that one hot partition takes as long
as the whole job. Here a history is cut into chunks along its order. Each chunk is aggregated to
one row, a window over these few rows gives what came before each chunk, and that is joined to
windows that end with their chunk.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, Window, WindowSpec
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
    cut = _cut(rows, order)
    wanted = [most, *columns]
    peaks = cut.groupBy(*keys, _CHUNK).agg(*_at_most(wanted, most))
    chunks_before = (
        Window.partitionBy(*keys).orderBy(_CHUNK).rowsBetween(Window.unboundedPreceding, -1)
    )
    before = peaks.select(
        *keys, _CHUNK, *(c.alias(f"before_{n}") for n, c in _over(wanted, most, chunks_before))
    )
    inside = (
        Window.partitionBy(*keys, _CHUNK).orderBy(order).rangeBetween(Window.unboundedPreceding, -1)
    )
    joined = cut.join(before, [*keys, _CHUNK], "inner").withColumns(
        {f"inside_{name}": column for name, column in _over(wanted, most, inside)}
    )
    earlier = fn.col(f"before_{most}")
    here = fn.col(f"inside_{most}")
    from_before = here.isNull() | (earlier > here)
    return joined.withColumns(
        {
            f"most_{name}": fn.when(from_before, fn.col(f"before_{name}")).otherwise(
                fn.col(f"inside_{name}")
            )
            for name in wanted
        }
    ).drop(_CHUNK, *(f"{side}_{name}" for side in ("before", "inside") for name in wanted))


def _cut(rows: DataFrame, order: str) -> DataFrame:
    return rows.withColumn(_CHUNK, fn.floor(fn.col(order) / CHUNK))


def _at_most(wanted: Sequence[str], most: str) -> list[Column]:
    return [fn.max_by(name, most).alias(name) for name in wanted]


def _over(wanted: Sequence[str], most: str, window: WindowSpec) -> list[tuple[str, Column]]:
    return [(name, fn.max_by(name, most).over(window)) for name in wanted]
