"""Writes tables as Parquet, with the same bytes for the same rows, and reads them.

Spark writes the tables that grow with the number of records. If the input is small, it collects all
others of a step in one job, and this process writes them: a table of a few rows costs Spark as much
as a large one. Of many runs Spark writes every table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial, reduce

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.tables.bronze import lines as bronze
from insync.analysis.tables.bronze.schemas import KIND
from insync.analysis.tables.catalogue import CONTRACTS, layer_of
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.rows import Row, arrow_table, as_parquet, parsed
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.session import (
    compiled,
    has_one_partition,
    keeps_small_tables,
)
from insync.errors import InsyncError

_AT_ONCE = 4
"""How many jobs run at a time: more than cores, because much of a job is waiting."""

ROW_LIMIT = 500_000
"""The most rows of a table for a report. Of the tables that reports read, only `anomalies` grows
with the number of records; this bounds the driver's memory."""

_SLICE = 1 << 20
"""How many records of a partition go to one file, so that a hot partition has several."""


PART = "part-0.parquet"
"""The file of a table that this process writes."""


class Kept:
    """Computes the small tables step by step, and keeps them in memory.

    `frames` are the tables so far, `rows` the rows of those that were computed. Those that grow
    with the number of records are computed when something reads them. Contracts are not checked,
    but for the columns.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.frames: dict[str, DataFrame] = {}
        self.rows: dict[str, list[Row]] = {}

    def keep(self, name: str, rows: Sequence[Row]) -> None:
        """Keep the rows of a small table."""
        contract = CONTRACTS[name]
        self.rows[name] = contract.in_order(rows)
        made = arrow_table(self.rows[name], contract)
        self.frames[name] = self._spark.createDataFrame(made)
        self._keep_small(contract, made)

    def compute(self, tables: Iterable[tuple[str, DataFrame]]) -> None:
        """Compute the tables of a step and keep them.

        Raises InsyncError that names the table and the rule of its contract that is broken.
        """
        planned = dict(tables)
        small = {name: table for name, table in planned.items() if self._is_collected(name)}
        large = {name: table for name, table in planned.items() if name not in small}
        writing = [partial(self._keep_large, name, table) for name, table in large.items()]
        at_once([partial(self._collect, small), *writing], _AT_ONCE)

    def _is_collected(self, name: str) -> bool:
        return not CONTRACTS[name].bulk

    def _collect(self, tables: Mapping[str, DataFrame]) -> None:
        for name, found in _collected(tables).items():
            self._check_rules(CONTRACTS[name], found.broken)
            self.keep(name, found.rows)

    def _check_rules(self, contract: Contract, broken: Sequence[Sequence[str]]) -> None:
        """Accept all rows."""

    def _keep_small(self, contract: Contract, table: pa.Table) -> None:
        """Nothing more to do."""

    def _keep_large(self, name: str, table: DataFrame) -> None:
        self.frames[name] = table


class Store(Kept):
    """Writes the tables of one refresh to a folder, checks their contracts, and keeps them."""

    def __init__(self, spark: SparkSession, storage: str) -> None:
        """Write to the folder `storage`, on any file system that Hadoop supports."""
        super().__init__(spark)
        self._hadoop = Hadoop(spark)
        self._storage = storage

    def write_bronze(self, lines: DataFrame) -> bronze.Events:
        """Write the lines of `bronze.bronze`, in the order of the event files.

        The folders are `bronze/line_kind=<kind>/run=<run>`. The stored table is kept as "bronze";
        its readable lines are returned by kind.
        """
        stored = bronze.schema()
        folder = f"{self._storage}/bronze"
        with compiled(self._spark):
            lines.write.mode("overwrite").partitionBy(KIND, "run").parquet(folder)
        # With the schema given, Spark does not open the files for it.
        written = self._spark.read.schema(stored).parquet(paths.literal(folder))
        self.frames["bronze"] = written
        kinds = {name.partition("=")[2] for name in self._hadoop.children(folder) if "=" in name}
        return bronze.Events.of(written, kinds)

    def collect(self, name: str) -> list[Row]:
        """Return the rows of a table that Spark wrote; raises InsyncError if they are too many."""
        found = self.frames[name].limit(ROW_LIMIT + 1).collect()
        if len(found) > ROW_LIMIT:
            raise InsyncError(
                f"table {name}: more than {ROW_LIMIT:,} rows, expected fewer for a report;"
                f" the table is in {self._folder(name)}"
            )
        return [row.asDict(recursive=True) for row in found]

    def _is_collected(self, name: str) -> bool:
        return keeps_small_tables(self._spark) and super()._is_collected(name)

    def _check_rules(self, contract: Contract, broken: Sequence[Sequence[str]]) -> None:
        contract.check_rules(broken)

    def _keep_small(self, contract: Contract, table: pa.Table) -> None:
        contract.check_rows(self.rows[contract.name])
        self._hadoop.write(f"{self._folder(contract.name)}/{PART}", as_parquet(table))

    def _keep_large(self, name: str, table: DataFrame) -> None:
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


def at_once(jobs: Iterable[Callable[[], None]], most: int) -> None:
    """Run jobs at the same time, `most` of them at most; raises the first one's error."""
    with ThreadPoolExecutor(most) as pool:
        for running in [pool.submit(job) for job in jobs]:
            running.result()


@dataclass
class _Found:
    """The rows of a small table, and of each the rules of the contract that it breaks."""

    rows: list[Row] = field(default_factory=list)
    broken: list[Sequence[str]] = field(default_factory=list)


def _collected(tables: Mapping[str, DataFrame]) -> dict[str, _Found]:
    """Return the rows of small tables, which one Spark job computes; raises InsyncError."""
    found = {name: _Found() for name in tables}
    if tables:
        union = reduce(DataFrame.unionAll, (_as_text(name, of) for name, of in tables.items()))
        for name, text, broken in union.collect():
            found[name].rows.append(parsed(text, CONTRACTS[name]))
            found[name].broken.append(broken)
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
    if has_one_partition(table.sparkSession):
        return table.coalesce(1).sortWithinPartitions(*contract.order)
    if not contract.bulk:
        return table.repartition(1).sortWithinPartitions(*contract.order)
    parts: list[Column] = [fn.col(name) for name in PARTITION]
    if "seq" in table.columns:
        parts.append(fn.floor(fn.col("seq") / _SLICE))
    return table.repartition(*parts).sortWithinPartitions(*contract.order)
