"""Makes small tables from rows that are in this process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType


def inline_table(spark: SparkSession, rows: Sequence[Sequence[object]], columns: str) -> DataFrame:
    """Return a table of a few rows; `columns` is a schema in Spark's DDL, without maps.

    The rows go to Spark as JSON text, because `createDataFrame` starts a Python process to convert
    them.
    """
    names = cast(StructType, StructType.fromDDL(columns)).names
    text = json.dumps([dict(zip(names, row, strict=True)) for row in rows])
    strict = {"mode": "FAILFAST"}
    each = fn.inline(fn.from_json(fn.lit(text), f"array<struct<{columns}>>", strict))
    return spark.range(1).select(each)
