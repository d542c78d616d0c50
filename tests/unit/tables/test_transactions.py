"""Transactions in the tables: fractured and aborted reads, lost writes, and commit times."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, Row

from insync.analysis.checks import polls, records
from insync.analysis.checks.isolation import aborted_read, fractured_read
from insync.analysis.checks.isolation.transactions import transaction_fates
from insync.analysis.checks.registry import find_in_records
from insync.analysis.tables.bronze.lines import CONSUME, PRODUCE, READ_BACK, TRANSACTIONS
from insync.analysis.tables.gold import clients as transactions
from unit.tables.inline import table, values

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
    read: list[tuple[int, int, int]],
    produced: list[tuple[Any, ...]] = RECORDS,
    ends: list[tuple[Any, ...]] = ENDS,
) -> DataFrame:
    """Return the records' fates after `read`: (partition, offset, seq)."""
    own = {"producer": 0, "idempotent": True, "sent_ms": 0.5}
    sent = table(PRODUCE, SENT, produced, **own)
    return records.record_fates(sent, reads(read), table(READ_BACK), lines_of(ends))


def lines_of(ends: list[tuple[Any, ...]]) -> DataFrame:
    return table(TRANSACTIONS, ENDED, ends, asked_ms=2.0)


def reads(read: list[tuple[int, int, int]]) -> DataFrame:
    lines = [(*line, nth) for nth, line in enumerate(read)]
    return table(CONSUME, "partition offset seq nth", lines, read_ms=9.0, consumer=0)


def test_a_transaction_read_in_part_is_torn_even_if_its_end_is_unknown() -> None:
    found = transaction_fates(of_records([(0, 1, 10), (0, 3, 30)]), lines_of(ENDS))
    assert values(found, "transaction end read torn aborted_read", "transaction") == [
        (100, "committed", 1, True, 0), (200, "aborted", 0, False, 0),
        (300, "unknown", 1, True, 0),
    ]  # fmt: skip


def test_fractured_and_aborted_reads_are_shown_by_their_records() -> None:
    found = of_records([(0, 1, 10), (0, 2, 20)])
    parts = fractured_read.find(found).collect()
    assert [(row["partition"], row["offset"]) for row in parts] == [(1, 0)]
    assert [(each["seq"], each["note"]) for each in parts[0]["operations"]] == [
        (10, "transaction 100, committed, read"),
        (11, "transaction 100, committed, not read"),
    ]
    against = find_in_records(found, (aborted_read.found,)).collect()
    assert [(row["partition"], row["offset"]) for row in against] == [(0, 2)]
    assert [each["what"] for each in against[0]["operations"]] == ["produce", "read"]


def skipped(read: list[tuple[int, int, int]], acks: str) -> list[Row]:
    """Return the poll skips after `read`, of producers with these acks."""
    found = of_records(read)
    partitions = table("comparable", "partition", [(0,), (1,)])
    counts = records.readback(partitions, found, table("leader_changes"))
    runs = table("runs", rows=[()], acks=acks)
    gaps = polls.find(reads(read), counts)
    return gaps.unionByName(polls.find_unread(found, counts, runs)).collect()


def test_only_acks_of_all_replicas_make_a_lost_record_a_skipped_poll() -> None:
    """With acks=1 a leader may lose a record, and a marker or an aborted record takes its place."""
    for acks, offsets in (("all", [0, 1]), ("1", [1])):
        gaps = skipped([(1, 0, 11), (0, 9, 99)], acks)
        assert sorted(row["offset"] for row in gaps) == offsets, "transactions have acks=all"


def by_producer(ends: DataFrame, fates: DataFrame, names: str) -> list[tuple[Any, ...]]:
    window = table("repeats", rows=[()], start_ms=0.0, end_ms=1_000.0)
    return values(transactions.by_producer(ends, fates, window), names, "producer")


@pytest.mark.parametrize(
    ("ended", "gap"), [([], 1_000.0), ([350.0], 650.0), ([300.0, 950.0, 1_200.0], 650.0)]
)
def test_the_longest_time_without_a_commit_counts_from_the_repeats_ends(
    ended: list[float], gap: float
) -> None:
    lines = [(0, 7, "abort", "aborted", None, 600.0, 1.0)] + [
        (0, 10 + number, "commit", "committed", None, at, 20.0 + number)
        for number, at in enumerate(ended)
    ]
    produced = [(0, line[1], 1.0, None, 0, line[1]) for line in lines]
    ends = lines_of(lines)
    fates = of_records([], produced, lines)
    longest = 20.0 + len(ended) - 1 if ended else None
    names = "commit_gap_ms committed aborted meant_to_abort commit_max_ms"
    assert by_producer(ends, fates, names) == [(gap, len(ended), 1, 1, longest)]


def test_a_transaction_whose_line_is_recorded_twice_counts_once() -> None:
    ends = lines_of([*ENDS, *ENDS])
    fates = of_records([(0, 1, 10), (0, 2, 20)])
    found = by_producer(ends, fates, "committed torn aborted aborted_read")
    assert found == [(1, 1, 0, 0), (0, 0, 1, 1)]
