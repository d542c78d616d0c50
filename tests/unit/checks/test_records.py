from typing import Any

import pytest
from pyspark.sql import SparkSession

from insync.analysis.checks import duplicate, lost_write, records
from insync.analysis.checks.registry import find_in_records
from unit.tables.inline import CHANGES, inline_table

PRODUCE = (
    "run string, arm string, repeat int, topic string, partition int, seq long, done_ms double,"
    " error string, offset long, sent_ms double, producer int, idempotent boolean,"
    " transaction long"
)
CONSUME = (
    "run string, arm string, repeat int, topic string, partition int, offset long, seq long,"
    " read_ms double, fresh boolean, corrupt string"
)
READ_BACK = (
    "run string, arm string, repeat int, topic string, partition int, fresh boolean,"
    " position long, end_offset long"
)
GRID = "run string, arm string, repeat int, topic string, partition int, read_to_end boolean"


def compare(
    spark: SparkSession, produced: list[tuple[Any, ...]], read: list[tuple[Any, ...]]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the counts per partition (acked, read, lost, duplicated), and the odd records."""
    sent = [("r", "a", 0, "t", *line, 0.0, 0, False, None) for line in produced]
    fates = records.record_fates(
        inline_table(spark, sent, PRODUCE),
        inline_table(spark, [("r", "a", 0, "t", *line, 9.0, None, None) for line in read], CONSUME),
        inline_table(spark, [], READ_BACK),
    )
    grid = inline_table(spark, [("r", "a", 0, "t", number, None) for number in range(2)], GRID)
    counts = (
        records.readback(grid, fates, inline_table(spark, [], CHANGES))
        .orderBy("partition")
        .collect()
    )
    odd = find_in_records(fates, (lost_write.found, duplicate.found)).orderBy("partition").collect()
    assert {row["duplicated_idempotent"] for row in counts} == {0}
    return [tuple(row)[5:9] for row in counts], [
        (*tuple(row)[4:-1], [(each["what"], each["seq"]) for each in row["operations"]])
        for row in odd
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([(2_000.0, True)], 2),
        ([(2_000.0, False)], 0),
        ([(1_500.0, False), (2_000.0, True)], 0),
        ([(1_500.0, True), (2_000.0, False)], 2),
        ([(100.0, True)], 1),
        ([], 0),
    ],
)
def test_records_that_an_election_of_the_scenario_cost_are_counted(
    spark: SparkSession, changes: list[tuple[float, bool]], expected: int
) -> None:
    """Two are lost: acked at 1.05 s and at 1.2 s; a third one, acked at 0.9 s, was read."""
    acked = [(0, 0, 900.0, None, 10), (0, 1, 1_050.0, None, 11), (0, 2, 1_200.0, None, 12)]
    sent = [("r", "a", 0, "t", *line, 0.0, 0, False, None) for line in acked]
    fates = records.record_fates(
        inline_table(spark, sent, PRODUCE),
        inline_table(spark, [("r", "a", 0, "t", 0, 10, 0, 9.0, None, None)], CONSUME),
        inline_table(spark, [], READ_BACK),
    )
    grid = inline_table(spark, [("r", "a", 0, "t", 0, None)], GRID)
    moves = [("r", "a", 0, "t", 0, *each, False) for each in changes]
    (row,) = records.readback(grid, fates, inline_table(spark, moves, CHANGES)).collect()
    assert (row["lost"], row["lost_at_moves"], row["lost_at_unclean"]) == (2, expected, 0)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([(2_000.0, True, True)], 2),
        ([(2_000.0, True, False)], 0),
        ([(1_500.0, False, False), (2_000.0, True, True)], 0),
        ([(100.0, True, True)], 1),
    ],
)
def test_records_that_an_unclean_election_cost_are_counted_also_those_that_were_only_read(
    spark: SparkSession, changes: list[tuple[float, bool, bool]], expected: int
) -> None:
    """Two are lost: one was acked at 1.2 s, one was read at 1.05 s and never acked."""
    sent = [(0, 0, 1_200.0, None, 10), (0, 1, None, None, None)]
    fates = records.record_fates(
        inline_table(
            spark, [("r", "a", 0, "t", *line, 0.0, 0, False, None) for line in sent], PRODUCE
        ),
        inline_table(spark, [("r", "a", 0, "t", 0, 11, 1, 1_050.0, False, None)], CONSUME),
        inline_table(spark, [("r", "a", 0, "t", 0, True, 5, 5)], READ_BACK),
    )
    grid = inline_table(spark, [("r", "a", 0, "t", 0, None)], GRID)
    moves = [("r", "a", 0, "t", 0, *each) for each in changes]
    (row,) = records.readback(grid, fates, inline_table(spark, moves, CHANGES)).collect()
    assert (row["lost"], row["lost_at_unclean"]) == (2, expected)


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
    assert odd == [
        (0, "lost-write", 11, 11, [("ack", 1)]),
        (1, "duplicate", 7, 8, [("produce", 0), ("read", 0), ("read", 0)]),
    ]


def test_a_line_that_is_recorded_twice_is_one_read(spark: SparkSession) -> None:
    counts, odd = compare(spark, [(0, 0, 1.0, None, 3)] * 2, [(0, 3, 0)] * 2)
    assert counts[0] == (1, 1, 0, 0)
    assert odd == []


def test_a_record_that_was_read_without_an_ack_is_neither(spark: SparkSession) -> None:
    counts, odd = compare(spark, [(0, 0, 1.0, "timed out", None)], [(0, 3, 0)])
    assert counts == [(0, 1, 0, 0), (0, 0, 0, 0)]
    assert odd == []


def test_without_any_line_all_counts_are_zero(spark: SparkSession) -> None:
    assert compare(spark, [], []) == ([(0, 0, 0, 0), (0, 0, 0, 0)], [])
