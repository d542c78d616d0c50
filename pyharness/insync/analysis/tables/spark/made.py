"""Tables of rows that this process made itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType


def made(spark: SparkSession, rows: Sequence[Sequence[object]], columns: str) -> DataFrame:
    """Return a table of a few rows; `columns` in Spark's words, without maps.

    They go to Spark as text: its own way starts a Python process to turn each row.
    """
    names = cast(StructType, StructType.fromDDL(columns)).names
    text = json.dumps([dict(zip(names, row, strict=True)) for row in rows])
    strict = {"mode": "FAILFAST"}
    each = fn.inline(fn.from_json(fn.lit(text), f"array<struct<{columns}>>", strict))
    return spark.range(1).select(each)
