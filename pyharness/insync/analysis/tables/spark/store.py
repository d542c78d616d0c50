"""Writes a layer's tables as Parquet, the same bytes for the same rows, and reads them back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.tables.catalogue import CONTRACTS, told_to_reports
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.spark import places
from insync.errors import InputError

Row = dict[str, Any]
Rows = Mapping[str, list[Row]]
"""Each table by name; a row is its columns by name."""

_AT_ONCE = 4
"""Tables in work at a time; much of it is waiting for files, so more than there are cores."""

_ROW_LIMIT = 500_000
"""No table for reports but `anomalies` grows with the records; the driver is safe from it."""

_BLOCK_BYTES_LOG2 = 28
"""Lines of a file that are 256 MiB apart go to files of their own, be the file ever so large."""

_SLICE = 1 << 20
"""Records of a partition that go to a file together: a hot partition has many."""


def write_bronze(tables: Iterable[tuple[str, DataFrame]], storage: str) -> dict[str, DataFrame]:
    """Write bronze tables to `storage/bronze/<name>/run=<run>`, in their files' order.

    Returns them as they were written.
    """

    def write(name: str, table: DataFrame) -> DataFrame:
        keys: list[str | Column] = ["run", "file"]
        together = table.repartition(*keys, fn.shiftright("block", _BLOCK_BYTES_LOG2))
        ordered = together.sortWithinPartitions(*keys, "block", "number").drop("block", "number")
        path = places.table_to_write(storage, "bronze", name)
        ordered.write.mode("overwrite").partitionBy("run").parquet(path)
        reader = table.sparkSession.read.schema(ordered.schema)  # none where nothing was written
        lines = reader.parquet(places.literal(path))
        # What rests on a kind of line that no run has is then known to be empty: cheap to plan.
        return lines if lines.inputFiles() else lines.limit(0)

    return _each(write, tables)


def write_tables(
    tables: Iterable[tuple[str, DataFrame]], storage: str, layer: str
) -> dict[str, DataFrame]:
    """Write each table to `storage/<layer>/<name>` and hold it against its contract.

    Returns them as they were written; raises InsyncError that names a promise that is broken.
    """

    def write(name: str, table: DataFrame) -> DataFrame:
        contract = CONTRACTS[name]
        contract.check_columns(table)
        ordered, watched = contract.watched(_in_order(table, contract))
        ordered.write.mode("overwrite").parquet(places.table_to_write(storage, layer, name))
        watched.check()
        return _stored(table.sparkSession, storage, layer, name)

    return _each(write, tables)


def read_rows(spark: SparkSession, storage: str) -> Rows:
    """Return the rows of every table that verdict and report are made from, of all runs.

    Raises InputError if one was never written.
    """
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = {
                name: pool.submit(_rows, _stored(spark, storage, layer, name))
                for name, layer in told_to_reports().items()
            }
            return {name: rows.result() for name, rows in found.items()}
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        raise InputError(f"{storage}: no tables, expected those of an earlier analysis") from None


def rows_of_run(rows: Rows, run: str | None) -> Rows:
    """Return those of the rows that are of one run."""
    return {name: [row for row in table if row["run"] == run] for name, table in rows.items()}


def _in_order(table: DataFrame, contract: Contract) -> DataFrame:
    """Return rows in an order of their own, whatever order they were computed in."""
    if not contract.bulk:
        # Where nothing is computed in more than one partition there is nothing to bring together.
        one = table.sparkSession.conf.get("spark.sql.shuffle.partitions") == "1"
        together = table.coalesce(1) if one else table.repartition(1)
        return together.sortWithinPartitions(*contract.order)
    parts: list[Column] = [fn.col(name) for name in PARTITION]
    if "seq" in table.columns:
        parts.append(fn.floor(fn.col("seq") / _SLICE))
    return table.repartition(*parts).sortWithinPartitions(*contract.order)


def _each(
    write: Callable[[str, DataFrame], DataFrame], tables: Iterable[tuple[str, DataFrame]]
) -> dict[str, DataFrame]:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        writing = {name: pool.submit(write, name, table) for name, table in tables}
        return {name: written.result() for name, written in writing.items()}


def _stored(spark: SparkSession, storage: str, layer: str, name: str) -> DataFrame:
    """Return a table as it was written; Spark need not look into its files for their columns."""
    reader = spark.read.schema(CONTRACTS[name].schema)
    return reader.parquet(places.table_to_read(storage, layer, name))


def _rows(table: DataFrame) -> list[Row]:
    return [row.asDict(recursive=True) for row in table.limit(_ROW_LIMIT).collect()]
