"""Intervals of constant leader and ISR, from the lines of the controller's log."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from insync.analysis.tables.silver.leaders import isr_intervals
from unit.isr_log import END, START, log, repeats


def spans(table: DataFrame) -> list[tuple[Any, ...]]:
    found = table.orderBy("start_ms").select("start_ms", "end_ms", "leader", "isr_size").collect()
    return [tuple(row) for row in found]


def test_intervals_are_clipped_to_the_repeat(spark: SparkSession) -> None:
    changes = log(
        spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (5_000.0, -1, [1]), (20_000.0, 1, [1])
    )
    assert spans(isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, 5_000.0, 1, 1),
        (5_000.0, END, -1, 1),
    ]


def test_changes_of_one_millisecond_keep_the_order_of_the_log(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (4_000.0, 1, [1, 2]))
    assert spans(isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, END, 1, 2),
    ]
