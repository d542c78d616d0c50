"""Writes the tables as Parquet and reads them back as plain rows for verdict and report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, DataFrameReader, SparkSession

from insync.errors import InputError
from insync.tables import places
from insync.tables.build import TABLES

Row = dict[str, Any]
Rows = Mapping[str, list[Row]]
"""Each table by name; a row is its columns by name."""

_AT_ONCE = 4
"""Tables in work at a time; much of it is waiting for files, so more than there are cores."""

_ROW_LIMIT = 20_000
"""No table but `anomalies` grows with the records; this keeps the driver safe from it."""


def write_tables(
    spark: SparkSession, tables: Iterable[tuple[str, DataFrame]], storage: str
) -> Rows:
    """Write each table to `storage/tables/<name>`, in place of what was there; return the rows.

    The rows are read back from what was written: what verdict and report show is stored.
    """

    def write(name: str, table: DataFrame) -> list[Row]:
        table.write.mode("overwrite").parquet(places.table_to_write(storage, name))
        # The columns are known: Spark need not open the files to ask for them.
        return _rows(spark.read.schema(table.schema), storage, name)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        writing = {name: pool.submit(write, name, table) for name, table in tables}
        return {name: rows.result() for name, rows in writing.items()}


def read_tables(spark: SparkSession, storage: str) -> Rows:
    """Return the rows of every table of a run; raises InputError if one was never written."""
    try:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = pool.map(lambda name: _rows(spark.read, storage, name), TABLES)
            return dict(zip(TABLES, found, strict=True))
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        raise InputError(f"{storage}: no tables, expected those of an earlier analysis") from None


def _rows(reader: DataFrameReader, storage: str, name: str) -> list[Row]:
    table = reader.parquet(places.table_to_read(storage, name)).limit(_ROW_LIMIT)
    return [row.asDict(recursive=True) for row in table.collect()]
