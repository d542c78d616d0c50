"""Transactions in the tables: fractured and aborted reads, lost writes, and commit times."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from insync.analysis.checks import polls, records
from insync.analysis.checks.isolation import aborted_read, fractured_read
from insync.analysis.checks.isolation.transactions import transaction_fates
from insync.analysis.checks.registry import find_in_records
from insync.analysis.tables.bronze.lines import CONSUME, PRODUCE, READ_BACK, TRANSACTIONS
from insync.analysis.tables.gold import clients as transactions
from unit.tables.inline import table

RECORDS = [
    # partition, seq, acked at, error, offset, transaction
    (0, 1, 1.0, None, 0, None),
    (0, 10, 1.0, None, 1, 100),
    (1, 11, 1.0, None, 0, 100),
    (0, 20, 1.0, None, 2, 200),
    (1, 21, 1.0, None, 1, 200),
    (0, 30, 1.0, None, 3, 300),
    (1, 31, None, None, None, 300),
]
ENDS = [
    # producer, transaction, wanted, end, error, ended at, took
    (0, 100, "commit", "committed", None, 400.0, 40.0),
    (1, 200, "abort", "aborted", None, 500.0, 4.0),
]


SENT = "partition seq done_ms error offset transaction"
ENDED = "producer transaction wanted end error ended_ms took_ms"


def of_records(
    spark: SparkSession,
    read: list[tuple[int, int, int]],
    produced: list[tuple[Any, ...]] = RECORDS,
    ends: list[tuple[Any, ...]] = ENDS,
) -> DataFrame:
    """Return the records' fates after `read`: (partition, offset, seq)."""
    own = {"producer": 0, "idempotent": True, "sent_ms": 0.5}
    return records.record_fates(
        table(spark, PRODUCE, SENT, produced, **own),
        reads(spark, read),
        table(spark, READ_BACK),
        lines_of(spark, ends),
    )


def lines_of(spark: SparkSession, ends: list[tuple[Any, ...]]) -> DataFrame:
    return table(spark, TRANSACTIONS, ENDED, ends, asked_ms=2.0)


def reads(spark: SparkSession, read: list[tuple[int, int, int]]) -> DataFrame:
    lines = [(*line, nth) for nth, line in enumerate(read)]
    return table(spark, CONSUME, "partition offset seq nth", lines, read_ms=9.0, consumer=0)


def fates(spark: SparkSession, read: list[tuple[int, int, int]]) -> dict[int, tuple[Any, ...]]:
    """Return (end, read, torn, aborted_read) of each transaction, after `read`."""
    found = transaction_fates(of_records(spark, read), lines_of(spark, ENDS))
    return {
        row["transaction"]: (row["end"], row["read"], row["torn"], row["aborted_read"])
        for row in found.collect()
    }


def test_a_transaction_read_in_part_is_torn_even_if_its_end_is_unknown(spark: SparkSession) -> None:
    found = fates(spark, [(0, 1, 10), (0, 3, 30)])
    assert found[100] == ("committed", 1, True, 0)
    assert found[300] == ("unknown", 1, True, 0)
    assert found[200] == ("aborted", 0, False, 0)


def test_fractured_and_aborted_reads_are_shown_by_their_records(spark: SparkSession) -> None:
    found = of_records(spark, [(0, 1, 10), (0, 2, 20)])
    parts = fractured_read.find(found).collect()
    assert [(row["partition"], row["offset"]) for row in parts] == [(1, 0)]
    assert [(each["seq"], each["note"]) for each in parts[0]["operations"]] == [
        (10, "transaction 100, committed, read"),
        (11, "transaction 100, committed, not read"),
    ]
    against = find_in_records(found, (aborted_read.found,)).collect()
    assert [(row["partition"], row["offset"]) for row in against] == [(0, 2)]
    assert [each["what"] for each in against[0]["operations"]] == ["produce", "read"]


def skipped(spark: SparkSession, read: list[tuple[int, int, int]], acks: str) -> list[Row]:
    """Return the poll skips after `read`, of producers with these acks."""
    found = of_records(spark, read)
    partitions = table(spark, "comparable", "partition", [(0,), (1,)])
    counts = records.readback(partitions, found, table(spark, "leader_changes"))
    runs = table(spark, "runs", rows=[()], acks=acks)
    gaps = polls.find(reads(spark, read), counts)
    return gaps.unionByName(polls.find_unread(found, counts, runs)).collect()


def test_only_acks_of_all_replicas_make_a_lost_record_a_skipped_poll(spark: SparkSession) -> None:
    """With acks=1 a leader may lose a record, and a marker or an aborted record takes its place."""
    for acks, offsets in (("all", [0, 1]), ("1", [1])):
        gaps = skipped(spark, [(1, 0, 11), (0, 9, 99)], acks)
        assert sorted(row["offset"] for row in gaps) == offsets, "transactions have acks=all"


@pytest.mark.parametrize(
    ("ended", "gap"), [([], 1_000.0), ([350.0], 650.0), ([300.0, 950.0, 1_200.0], 650.0)]
)
def test_the_longest_time_without_a_commit_counts_from_the_repeats_ends(
    spark: SparkSession, ended: list[float], gap: float
) -> None:
    lines = [(0, 7, "abort", "aborted", None, 600.0, 1.0)] + [
        (0, 10 + number, "commit", "committed", None, at, 20.0 + number)
        for number, at in enumerate(ended)
    ]
    produced = [(0, line[1], 1.0, None, 0, line[1]) for line in lines]
    ends = lines_of(spark, lines)
    fates = of_records(spark, [], produced, lines)
    window = table(spark, "repeats", rows=[()], start_ms=0.0, end_ms=1_000.0)
    (row,) = transactions.by_producer(ends, fates, window).collect()
    assert row["commit_gap_ms"] == gap
    assert (row["committed"], row["aborted"], row["meant_to_abort"]) == (len(ended), 1, 1)
    assert row["commit_max_ms"] == (20.0 + len(ended) - 1 if ended else None)


def test_a_transaction_whose_line_is_recorded_twice_counts_once(spark: SparkSession) -> None:
    ends = lines_of(spark, [*ENDS, *ENDS])
    fates = of_records(spark, [(0, 1, 10), (0, 2, 20)])
    window = table(spark, "repeats", rows=[()], start_ms=0.0, end_ms=1_000.0)
    found = transactions.by_producer(ends, fates, window).orderBy("producer").collect()
    assert [(row["committed"], row["torn"]) for row in found] == [(1, 1), (0, 0)]
    assert [(row["aborted"], row["aborted_read"]) for row in found] == [(0, 0), (1, 1)]
