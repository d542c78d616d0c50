"""Defines the keys of a history and the columns of the table `anomalies`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import Column, DataFrame, GroupedData
from pyspark.sql import functions as fn

REPEAT = ["run", "arm", "repeat"]
TOPIC = [*REPEAT, "topic"]
PARTITION = [*TOPIC, "partition"]
TRANSACTION = [*TOPIC, "transaction"]
TOPIC_OF_ARM = ["run", "arm", "topic"]
"""Key of a topic in lines without a repeat. Each repeat has a topic of its own."""
PARTITION_OF_ARM = (*TOPIC_OF_ARM, "partition")

MOST_OPERATIONS = 10
"""The most operations that a row of `anomalies` holds."""


def each(rows: DataFrame, keys: Sequence[str]) -> GroupedData:
    """Group rows by keys that few rows share, such as a record's own key: its ack and its reads.

    The rows are shuffled first. Spark by itself aggregates them before the shuffle as well, which
    fills its memory and hardly reduces their number.
    """
    return rows.repartition(*keys).groupBy(*keys)


def typed(
    rows: DataFrame, keys: Sequence[str], types: Mapping[str, str], **columns: Column
) -> DataFrame:
    """Return the keys and a column for each of `types`: those in `columns`, null for the others.

    So that lines of several kinds can be united by name.
    """
    none = fn.lit(None)
    return rows.select(
        *keys, *(columns.get(name, none).cast(of).alias(name) for name, of in types.items())
    )


def is_acked() -> Column:
    """Return whether an operation of the produce lines was acked."""
    return fn.col("done_ms").isNotNull() & fn.col("error").isNull()


def with_repeat(rows: DataFrame, repeats: DataFrame) -> DataFrame:
    """Add the repeat, found by the topic, and drop the rows of topics that no repeat has."""
    return rows.join(fn.broadcast(repeats.select(*TOPIC)), TOPIC_OF_ARM, "inner")


def operation(
    what: str,
    *,
    who: str | None = None,
    seq: str | None = None,
    offset: str | Column | None = None,
    at_ms: str | Column | None = None,
    note: Column | None = None,
) -> Column:
    """Return one operation that shows an anomaly; the arguments are columns, most by name.

    `what` is "produce", "ack", "read", "commit", "lead" or "batch". `who` is the number of a
    producer, consumer or group, or the id of a broker.
    """

    def named(column: str | Column | None, kind: str, name: str) -> Column:
        value = fn.col(column) if isinstance(column, str) else column
        # Nullable in every engine, whatever the column is: arrays hold operations of several kinds.
        none = fn.lit(None).cast(kind)
        return fn.nullif(none if value is None else value.cast(kind), none).alias(name)

    return fn.struct(
        fn.lit(what).alias("what"),
        named(who, "int", "who"),
        named(seq, "bigint", "seq"),
        named(offset, "bigint", "offset"),
        named(at_ms, "double", "at_ms"),
        named(note, "string", "note"),
    )


def bounded(operations: Column) -> Column:
    """Return the first MOST_OPERATIONS of an array of operations, in order."""
    return fn.slice(fn.array_sort(operations), 1, MOST_OPERATIONS)


def anomaly_rows(
    rows: DataFrame,
    kind: str | Column,
    offset: str,
    last_offset: str,
    operations: Column | Sequence[Column],
) -> DataFrame:
    """Return one row per anomaly: PARTITION, kind, offset, last_offset, operations.

    The offsets are those in the partition's log that the anomaly is about; null if there are none.
    """
    shown = operations if isinstance(operations, Column) else fn.array(*operations)
    return rows.select(
        *PARTITION,
        (fn.lit(kind) if isinstance(kind, str) else kind).alias("kind"),
        fn.col(offset).cast("bigint").alias("offset"),
        fn.col(last_offset).cast("bigint").alias("last_offset"),
        shown.alias("operations"),
    )
