"""What the checks share: keys of a history, and what a row of `anomalies` is."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as fn

REPEAT = ["run", "arm", "repeat"]
TOPIC = [*REPEAT, "topic"]
PARTITION = [*TOPIC, "partition"]
TRANSACTION = [*TOPIC, "transaction"]
TOPIC_OF_ARM = ["run", "arm", "topic"]
"""A topic is of one repeat; who tells of it need not know which."""

MOST_OPERATIONS = 10
"""Of the operations that show an anomaly, how many stand in its row."""


def each(rows: DataFrame, keys: Sequence[str]) -> GroupedData:
    """Group rows by keys that few of them share, such as a record's own: an ack and a read.

    They are shuffled first. Grouped where they are, as Spark would do by itself, they would fill
    its memory and be no fewer.
    """
    return rows.repartition(*keys).groupBy(*keys)


def is_acked() -> Column:
    """Whether an operation of the produce lines was acked."""
    return fn.col("done_ms").isNotNull() & fn.col("error").isNull()


def operation(
    what: str,
    *,
    who: str | None = None,
    seq: str | None = None,
    offset: str | None = None,
    at_ms: str | None = None,
    note: Column | None = None,
) -> Column:
    """Return one operation that shows an anomaly; the arguments are names of columns.

    `what` was done: "produce", "ack", "read", "lead" or "batch"; `who` did it: a producer or a
    consumer by its number, a broker by its id.
    """

    def named(column: str | None, kind: str, name: str) -> Column:
        value = fn.lit(None) if column is None else fn.col(column)
        return value.cast(kind).alias(name)

    return fn.struct(
        fn.lit(what).alias("what"),
        named(who, "int", "who"),
        named(seq, "bigint", "seq"),
        named(offset, "bigint", "offset"),
        named(at_ms, "double", "at_ms"),
        (fn.lit(None) if note is None else note).cast("string").alias("note"),
    )


def bounded(operations: Column) -> Column:
    """Return an array of operations in order, no longer than a row should be."""
    return fn.slice(fn.array_sort(operations), 1, MOST_OPERATIONS)


def anomaly(
    rows: DataFrame,
    kind: str | Column,
    offset: str,
    last_offset: str,
    operations: Column | Sequence[Column],
) -> DataFrame:
    """One row per anomaly: PARTITION, kind, offset, last_offset, operations.

    The offsets say where in the partition's log it is, null if nowhere.
    """
    shown = operations if isinstance(operations, Column) else fn.array(*operations)
    return rows.select(
        *PARTITION,
        (fn.lit(kind) if isinstance(kind, str) else kind).alias("kind"),
        fn.col(offset).cast("bigint").alias("offset"),
        fn.col(last_offset).cast("bigint").alias("last_offset"),
        shown.alias("operations"),
    )
