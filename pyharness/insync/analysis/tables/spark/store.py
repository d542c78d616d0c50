"""Writes tables as Parquet, with the same bytes for the same rows, and reads them.

Spark writes the tables that grow with the number of records. It collects all others of a step in
one job, and this process writes them: a table of a few rows costs Spark as much as a large one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.tables.bronze import lines as bronze
from insync.analysis.tables.catalogue import CONTRACTS, layer_of
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.rows import Row, arrow_table, as_parquet, parsed
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.errors import InsyncError

_AT_ONCE = 4
"""How many jobs run at a time: more than cores, because much of a job is waiting."""

ROW_LIMIT = 500_000
"""The most rows of a table for a report. Of the tables that reports read, only `anomalies` grows
with the number of records; this bounds the driver's memory."""

_SLICE = 1 << 20
"""How many records of a partition go to one file, so that a hot partition has several."""


class Store:
    """Writes the tables of one refresh to a folder, and keeps them.

    `frames` are the tables that were written so far, `rows` the rows of the small ones.
    """

    def __init__(self, spark: SparkSession, storage: str) -> None:
        """Write to the folder `storage`, on any file system that Hadoop supports."""
        self._spark = spark
        self._hadoop = Hadoop(spark)
        self._storage = storage
        self.frames: dict[str, DataFrame] = {}
        self.rows: dict[str, list[Row]] = {}

    def write_bronze(self, lines: DataFrame) -> bronze.Events:
        """Write the lines of `bronze.bronze`, in the order of the event files.

        The folders are `bronze/line_kind=<kind>/run=<run>`. The stored table is kept as "bronze";
        its readable lines are returned by kind.
        """
        stored = bronze.schema()
        folder = f"{self._storage}/bronze"
        lines.write.mode("overwrite").partitionBy(bronze.KIND, "run").parquet(folder)
        # With the schema given, Spark does not open the files for it.
        written = self._spark.read.schema(stored).parquet(paths.literal(folder))
        self.frames["bronze"] = written
        kinds = {name.partition("=")[2] for name in self._hadoop.children(folder) if "=" in name}
        return bronze.Events.of(written, kinds)

    def keep(self, name: str, rows: Sequence[Row]) -> None:
        """Write a small table; raises InsyncError if a key or a null breaks its contract."""
        contract = CONTRACTS[name]
        contract.check_rows(rows)
        self.rows[name] = contract.in_order(rows)
        made = arrow_table(self.rows[name], contract)
        self._hadoop.write(f"{self._folder(name)}/part-0.parquet", as_parquet(made))
        self.frames[name] = self._spark.createDataFrame(made)

    def compute(self, tables: Iterable[tuple[str, DataFrame]]) -> None:
        """Compute the tables of a step, write and keep them.

        Raises InsyncError that names the table and the rule of its contract that is broken.
        """
        planned = dict(tables)
        bulk = {name: table for name, table in planned.items() if CONTRACTS[name].bulk}
        small = {name: table for name, table in planned.items() if name not in bulk}
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            writing = [pool.submit(self._write, name, table) for name, table in bulk.items()]
            for name, rows in _collected(small).items():
                self.keep(name, rows)
            for each in writing:
                each.result()

    def collect(self, name: str) -> list[Row]:
        """Return the rows of a table that Spark wrote; raises InsyncError if they are too many."""
        found = self.frames[name].limit(ROW_LIMIT + 1).collect()
        if len(found) > ROW_LIMIT:
            raise InsyncError(
                f"table {name}: more than {ROW_LIMIT:,} rows, expected fewer for a report;"
                f" the table is in {self._folder(name)}"
            )
        return [row.asDict(recursive=True) for row in found]

    def _write(self, name: str, table: DataFrame) -> None:
        contract = CONTRACTS[name]
        contract.check_columns(table)
        ordered, watched = contract.watched(_in_order(table, contract))
        folder = self._folder(name)
        ordered.write.mode("overwrite").parquet(folder)
        watched.check()
        stored = self._spark.read.schema(contract.schema).parquet(paths.literal(folder))
        # Spark then knows that the table is empty, and plans what depends on it quickly.
        self.frames[name] = stored if watched.rows else stored.limit(0)

    def _folder(self, name: str) -> str:
        return paths.table_to_write(self._storage, layer_of(name), name)


def _collected(tables: Mapping[str, DataFrame]) -> dict[str, list[Row]]:
    """Return the rows of small tables, which one Spark job computes; raises InsyncError."""
    if not tables:
        return {}
    union = reduce(DataFrame.unionAll, (_as_text(name, of) for name, of in tables.items()))
    found: dict[str, list[Row]] = {name: [] for name in tables}
    broken: dict[str, list[list[str]]] = {name: [] for name in tables}
    for name, text, rules in union.collect():
        found[name].append(parsed(text, CONTRACTS[name]))
        broken[name].append(rules)
    for name, of_rows in broken.items():
        CONTRACTS[name].check_rules(of_rows)
    return found


def _as_text(name: str, table: DataFrame) -> DataFrame:
    """Return the table's name, each row as JSON, and the rules of the contract that it breaks."""
    contract = CONTRACTS[name]
    contract.check_columns(table)
    row = fn.to_json(fn.struct(*table.columns), {"ignoreNullFields": "false"})
    return table.select(
        fn.lit(name).alias("table"), row.alias("row"), contract.broken_rules().alias("broken")
    )


def _in_order(table: DataFrame, contract: Contract) -> DataFrame:
    """Return the rows in the order of the contract, however they were computed."""
    parts: list[Column] = [fn.col(name) for name in PARTITION]
    if "seq" in table.columns:
        parts.append(fn.floor(fn.col("seq") / _SLICE))
    return table.repartition(*parts).sortWithinPartitions(*contract.order)
