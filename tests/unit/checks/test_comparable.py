"""Of which partitions every replica's log was read."""

import pytest
from pyspark.sql import SparkSession

from insync.analysis.checks.comparable import comparable
from unit.tables.inline import inline_table

PLACE = "run string, arm string, repeat int, topic string, partition int"
ISR = (
    "run string, arm string, topic string, partition int, kind string, t_ms double, line long,"
    " isr array<int>, replicas array<int>"
)
LOGS = f"{PLACE}, replica int, start_offset long, end_offset long, problem string"
CONSUME = f"{PLACE}, offset long, fresh boolean"
READ_BACK = f"{PLACE}, fresh boolean, position long, end_offset long"


@pytest.mark.parametrize(
    ("replicas", "whole"),
    [
        ([[1, 2]], True),
        ([[1, 2, 3], [1, 2]], True),  # a reassignment that was cancelled, or that removed one
        ([[1, 2], [1, 2, 3]], False),
        ([[1, 2], []], True),  # before KRaft a change of the ISR does not say
    ],
)
def test_the_replicas_of_the_last_assignment_count(
    spark: SparkSession, replicas: list[list[int]], whole: bool
) -> None:
    place = ("r", "a", 0, "t", 0)
    isr = [
        ("r", "a", "t", 0, "partition", 10.0 + line, line, [1, 2], each)
        for line, each in enumerate(replicas)
    ]
    found = comparable(
        inline_table(spark, [(*place, 99.0)], f"{PLACE}, end_ms double"),
        inline_table(spark, [(*place, each, 0, 5, None) for each in (1, 2)], LOGS),
        inline_table(spark, [(*place, 4, True)], CONSUME),
        inline_table(spark, isr, ISR),
        inline_table(spark, [], READ_BACK),
    )
    (row,) = found.collect()
    assert (row["logs_read"], row["whole"]) == (2, whole)
