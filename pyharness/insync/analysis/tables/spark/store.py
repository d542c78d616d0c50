"""Writes a layer's tables as Parquet, with the same bytes for the same rows, and reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.checks.registry import with_label
from insync.analysis.tables.catalogue import CONTRACTS, read_by_reports
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.spark import paths
from insync.errors import InputError

Row = dict[str, Any]
Rows = Mapping[str, list[Row]]
"""Each table by name; a row is its columns by name."""

_AT_ONCE = 4
"""How many tables are written at a time: more than cores, because much of it is waiting."""

_ROW_LIMIT = 500_000
"""The most rows read per table. Of the tables that reports read, only `anomalies` grows with the
number of records; this bounds the driver's memory."""

_BLOCK_BYTES_LOG2 = 28
"""Each 256 MiB of an event file go to a Parquet file of their own, however large it is."""

_SLICE = 1 << 20
"""How many records of a partition go to one file, so that a hot partition has several."""


def write_bronze(tables: Iterable[tuple[str, DataFrame]], storage: str) -> dict[str, DataFrame]:
    """Write bronze tables to `storage/bronze/<name>/run=<run>`, in the order of the event files.

    Return the tables, read from the files.
    """

    def write(name: str, table: DataFrame) -> DataFrame:
        keys: list[str | Column] = ["run", "file"]
        together = table.repartition(*keys, fn.shiftright("block", _BLOCK_BYTES_LOG2))
        ordered = together.sortWithinPartitions(*keys, "block", "number").drop("block", "number")
        path = paths.table_to_write(storage, "bronze", name)
        ordered.write.mode("overwrite").partitionBy("run").parquet(path)
        reader = table.sparkSession.read.schema(
            ordered.schema
        )  # the files of an empty table have none
        lines = reader.parquet(paths.literal(path))
        # Spark then knows that a kind of line is empty, and plans what depends on it quickly.
        return lines if lines.inputFiles() else lines.limit(0)

    return _each(write, tables)


def write_tables(
    tables: Iterable[tuple[str, DataFrame]], storage: str, layer: str
) -> dict[str, DataFrame]:
    """Write each table to `storage/<layer>/<name>` and check its contract.

    Return the tables, read from the files. Raises InsyncError that names the broken rule.
    """

    def write(name: str, table: DataFrame) -> DataFrame:
        contract = CONTRACTS[name]
        contract.check_columns(table)
        ordered, watched = contract.watched(_in_order(table, contract))
        ordered.write.mode("overwrite").parquet(paths.table_to_write(storage, layer, name))
        watched.check()
        return _stored(table.sparkSession, storage, layer, name)

    return _each(write, tables)


def read_rows(spark: SparkSession, storage: str) -> Rows:
    """Return the rows of every table that verdict and report read, of all runs.

    The rows of `anomalies` have a label as well, and new names if an older version wrote them.
    Raises InputError if a table does not exist.
    """
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = {
                name: pool.submit(_rows, _stored(spark, storage, layer, name))
                for name, layer in read_by_reports().items()
            }
            rows = {name: reading.result() for name, reading in found.items()}
            return {**rows, "anomalies": [with_label(row) for row in rows["anomalies"]]}
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        raise InputError(f"{storage}: no tables, expected those of an earlier analysis") from None


def rows_of_run(rows: Rows, run: str | None) -> Rows:
    """Return the rows of one run."""
    return {name: [row for row in table if row["run"] == run] for name, table in rows.items()}


def _in_order(table: DataFrame, contract: Contract) -> DataFrame:
    """Return the rows in the order of the contract, however they were computed."""
    if not contract.bulk:
        # With a single shuffle partition the rows are together already.
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
    """Return a written table; with the schema given, Spark does not open its files for it."""
    reader = spark.read.schema(CONTRACTS[name].schema)
    return reader.parquet(paths.table_to_read(storage, layer, name))


def _rows(table: DataFrame) -> list[Row]:
    return [row.asDict(recursive=True) for row in table.limit(_ROW_LIMIT).collect()]
