"""Acked against read back: what counts as lost, what as duplicated."""

from typing import Any

from pyspark.sql import SparkSession

from insync.tables import readback

PRODUCE = (
    "run string, arm string, repeat int, topic string, partition int, seq long, done_ms double,"
    " error string, offset long"
)
CONSUME = "run string, arm string, repeat int, topic string, partition int, offset long, seq long"
GRID = "run string, arm string, repeat int, topic string, partition int"


def compare(
    spark: SparkSession, produced: list[tuple[Any, ...]], read: list[tuple[Any, ...]]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return (acked, read, lost, duplicated) per partition, and the odd records."""
    fates = readback.record_fates(
        spark.createDataFrame([("r", "a", 0, "t", *line) for line in produced], PRODUCE),
        spark.createDataFrame([("r", "a", 0, "t", *line) for line in read], CONSUME),
    )
    grid = spark.createDataFrame([("r", "a", 0, "t", 0), ("r", "a", 0, "t", 1)], GRID)
    counts = readback.readback(fates, grid).orderBy("partition").collect()
    odd = readback.odd_records(fates).orderBy("partition", "seq").collect()
    return [tuple(row)[5:] for row in counts], [tuple(row)[4:] for row in odd]


def test_lost_and_duplicated_records_are_named(spark: SparkSession) -> None:
    produced = [
        (0, 0, 1.0, None, 10),
        (0, 1, 1.0, None, 11),
        (0, 2, 1.0, "failed", None),
        (0, 3, None, None, None),
        (1, 0, 1.0, None, 7),
    ]
    read = [(0, 10, 0), (0, 12, 2), (1, 7, 0), (1, 8, 0)]
    counts, odd = compare(spark, produced, read)
    assert counts == [(2, 2, 1, 0), (1, 1, 0, 1)]
    assert odd == [(0, 1, 11, "lost", 0), (1, 0, 7, "duplicated", 2)]


def test_a_record_that_was_read_without_an_ack_is_neither(spark: SparkSession) -> None:
    counts, odd = compare(spark, [(0, 0, 1.0, "timed out", None)], [(0, 3, 0)])
    assert counts == [(0, 1, 0, 0), (0, 0, 0, 0)]
    assert odd == []


def test_nothing_at_all_is_zero_everywhere(spark: SparkSession) -> None:
    assert compare(spark, [], []) == ([(0, 0, 0, 0), (0, 0, 0, 0)], [])
