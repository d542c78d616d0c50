"""Reads a run's event lines; says how many there were and how many were unreadable.

A broker or a harness that was killed may leave a torn last line, and a folder may
lack whole files (no agent, an arm that never began). Neither stops the analysis, and
neither is passed over: unreadable lines are counted per file, missing kinds are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.tables import places
from insync.tables.schemas import ALL, CORRUPT, EVENTS_VERSION, ISR, ROLES, EventKind

_AT_ONCE = 2
"""Kinds whose files are looked up at a time."""


@dataclass(frozen=True)
class Events:
    """Every line of a run, by kind: the readable ones, and a count over all of them.

    `isr` and `roles` have one column more than their lines: `line`, which orders changes
    of the same millisecond as the logs did that they are from.
    """

    phases: DataFrame
    faults: DataFrame
    produce: DataFrame
    transactions: DataFrame
    consume: DataFrame
    isr: DataFrame
    counters: DataFrame
    controller: DataFrame
    step_downs: DataFrame
    roles: DataFrame
    replica_logs: DataFrame
    batches: DataFrame
    input_lines: DataFrame


def read_events(spark: SparkSession, storage: str, arms: Sequence[str]) -> Events:
    """Read `storage/events/<arm>/*.jsonl`; `storage` is a folder or a URI Spark can open."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = pool.map(
            lambda kind: _read_kind(
                spark, places.events(storage, arms, kind.pattern), kind
            ).cache(),
            ALL,
        )
        raw = {kind.name: lines for kind, lines in zip(ALL, found, strict=True)}
    counted = [count_lines(lines) for lines in raw.values()]
    input_lines = counted[0]
    for more in counted[1:]:
        input_lines = input_lines.unionByName(more)
    return Events(
        **{name: readable(lines) for name, lines in raw.items()},
        input_lines=input_lines,
    )


def readable(lines: DataFrame) -> DataFrame:
    """Return the lines that parsed and have the version this code knows, as they were written."""
    return lines.where(_is_readable()).drop("v", CORRUPT, "file")


def count_lines(lines: DataFrame) -> DataFrame:
    """Per file: how many lines it had, and how many of them could not be read."""
    return (
        lines.groupBy("file")
        .agg(
            fn.count(fn.lit(1)).alias("lines"),
            fn.count_if(~_is_readable()).alias("unreadable"),
        )
        .select("file", "lines", "unreadable")
    )


def _is_readable() -> Column:
    return fn.col(CORRUPT).isNull() & fn.col("v").eqNullSafe(EVENTS_VERSION)


def _read_kind(spark: SparkSession, files: str, kind: EventKind) -> DataFrame:
    try:
        lines = (
            spark.read.schema(kind.schema)
            .option("mode", "PERMISSIVE")
            .option("columnNameOfCorruptRecord", CORRUPT)
            .json(files)
            .withColumn("file", fn.regexp_extract("_metadata.file_path", "([^/]+/[^/]+)$", 1))
        )
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        lines = spark.createDataFrame([], kind.schema).withColumn("file", fn.lit(""))
    if kind in (ISR, ROLES):
        lines = lines.withColumn("line", fn.monotonically_increasing_id())
    return lines
