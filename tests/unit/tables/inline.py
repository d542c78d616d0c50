"""Makes data frames of a few rows."""

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from insync.analysis.engine.types import arrow_schema

CHANGES = (
    "run string, arm string, repeat int, topic string, partition int, t_ms double, planned boolean,"
    " unclean boolean"
)
"""The columns of leader_changes that the losses at moves are counted by."""


def inline_table(spark: SparkSession, rows: Sequence[Sequence[object]], columns: str) -> DataFrame:
    """Return a table of rows; `columns` is a schema in Spark's DDL."""
    schema = arrow_schema(columns)
    if not rows:
        return spark.createDataFrame([], schema=from_arrow_schema(schema))
    named = [dict(zip(schema.names, row, strict=True)) for row in rows]
    return spark.createDataFrame(pa.Table.from_pylist(named, schema=schema))
