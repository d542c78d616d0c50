"""Opens a session of the chosen engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from insync.analysis.engine import apache, embedded, paths
from insync.analysis.engine.files import Files, FilesOf, is_local, local_path
from insync.analysis.engine.options import Choice, Name
from insync.analysis.engine.types import arrow_schema
from insync.engines import AnalysisOptions


@dataclass(frozen=True)
class Session:
    """An open session of an engine.

    `collects` is whether this process has the memory for whole tables; otherwise the
    engine writes those that grow with the number of records.
    """

    spark: SparkSession
    name: Name
    files_of: FilesOf

    @property
    def collects(self) -> bool:
        """Whether tables that grow with the number of records are collected, too."""
        return self.name == "embedded"

    @property
    def described(self) -> str:
        """The engine and its version, for the result."""
        if self.name == "embedded":
            return f"Sail {version('pysail')}"
        return f"Apache Spark {version('pyspark')}"

    def files(self, path: str) -> Files:
        """Return the file system of a path."""
        return Files() if is_local(path) else self.files_of(path)

    def read(self, place: str, *, columns: str) -> DataFrame:
        """Read a Parquet file or a folder of them; `columns` is their schema in Spark's DDL.

        With it the engine opens no file before it needs the rows, and may find none.
        """
        # The engines take a URI and a pattern.
        path = local_path(place).as_uri() if self.name == "embedded" else paths.literal(place)
        return self.spark.read.schema(columns).parquet(path)

    def empty(self, columns: str) -> DataFrame:
        """Return a table without rows; `columns` is a schema in Spark's DDL."""
        return self.spark.createDataFrame([], schema=from_arrow_schema(arrow_schema(columns)))


@contextmanager
def open_session(choice: Choice, options: AnalysisOptions, log: Path) -> Iterator[Session]:
    """Yield a session that ends with the block; raises InsyncError naming `log` if none starts."""
    if choice.name == "embedded":
        with embedded.running() as spark:
            yield Session(spark, "embedded", _no_files)
    else:
        with apache.running(options, log) as (spark, files_of):
            yield Session(spark, "spark", files_of)


def _no_files(path: str) -> Files:
    raise AssertionError(f"the embedded engine got {path}")
