"""Consumer groups and end-to-end latency in the tables: one job for all cases."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from insync.analysis.checks import group_skip
from insync.analysis.tables.bronze.lines import CONSUME, GROUP
from insync.analysis.tables.gold.acks import end_to_end
from insync.analysis.tables.gold.clients import groups
from unit.tables.inline import table

READ = [
    (0, 0, 10, False), (0, 1, 11, False), (0, 1, 11, None), (0, 4, 14, False), (1, 0, 20, False),
    (0, 2, 12, True),  # when the groups had ended
]  # fmt: skip
MOVES: list[tuple[Any, ...]] = [
    # partition, group, at, what, member, offset, lag
    (0, 0, 1.0, "assigned", 0, None, None),
    (1, 0, 1.0, "assigned", 0, None, None),
    (0, 0, 2.0, "read", 0, 0, None),
    (0, 0, 3.0, "lag", 0, 1, 7),
    (0, 0, 5.0, "revoked", 0, None, None),
    (0, 0, 9.0, "assigned", 1, None, None),
    (0, 0, 9.5, "read", 1, 0, None),  # again: the first member had not committed it
    (0, 0, 10.0, "read", 1, 4, None),  # without record 1
    (0, 0, 11.0, "committed", 1, 5, None),
    (1, 0, 12.0, "lost", 0, None, None),  # learned late: nobody had it in between
    (1, 0, 20.0, "assigned", 1, None, None),
    (0, 0, 30.0, "revoked", 1, None, None),
    (0, 1, 2.0, "read", 0, 0, None),  # a group that is behind has skipped nothing
    (0, 1, 3.0, "stored", None, 1, None),
]


@pytest.fixture(scope="module")
def found() -> dict[str, list[dict[str, Any]]]:
    consume = table(CONSUME, "partition offset seq fresh", READ)
    moved = "partition group t_ms type member offset lag"
    group = table(GROUP, moved, MOVES, protocol="classic")
    sent = [
        (0, None, 99.0, 9_000.0),  # before the window opened
        (0, None, 100.0, 130.0),
        (1, None, 100.0, 110.0),
        (1, None, 100.0, None),
        (1, 5, 100.0, 9_000.0),
    ]
    fates = table("fates", "partition transaction sent_ms read_ms", sent)
    window = table("repeats", rows=[()], start_ms=100.0)
    tables = {
        "skips": group_skip.find(consume, group),
        "groups": groups(group, consume).orderBy("group"),
        "end_to_end": end_to_end(fates, window).orderBy("partition"),
    }
    return {
        name: [row.asDict(recursive=True) for row in each.collect()]
        for name, each in tables.items()
    }


def test_a_committed_record_that_no_member_processed_is_a_skip(
    found: dict[str, list[dict[str, Any]]],
) -> None:
    (skip,) = found["skips"]
    assert (skip["kind"], skip["partition"], skip["offset"]) == ("group-skip", 0, 1)
    shown = [(each["what"], each["seq"], each["offset"]) for each in skip["operations"]]
    assert shown == [("read", 11, 1), ("commit", None, 5)]


def test_the_figures_of_a_group(found: dict[str, list[dict[str, Any]]]) -> None:
    moved, behind = found["groups"]
    assert (moved["rebalances"], moved["gap_ms"], moved["max_lag"]) == (3, 4.0, 7)
    assert (moved["processed"], moved["reprocessed"], moved["unread"]) == (3, 1, 2)
    assert moved["members"] == 2
    assert (behind["gap_ms"], behind["max_lag"], behind["unread"]) == (None, None, 3)


def test_a_group_that_reads_many_records_needs_little_memory() -> None:
    read = ("'read' as type", "2.0D as t_ms", "0 as member", "id as offset", "null as lag")
    repeat = ("'r' as run", "'a' as arm", "0 as repeat", "'t' as topic", "0 as partition")
    own = (*repeat, "0 as group", "'classic' as protocol", *read)
    group = SparkSession.active().range(100_000).selectExpr(*own)
    (found,) = groups(group, table(CONSUME)).collect()
    assert (found["processed"], found["reprocessed"]) == (100_000, 0)


def test_end_to_end_latency_counts_from_the_due_time_and_without_transactions(
    found: dict[str, list[dict[str, Any]]],
) -> None:
    topic, *partitions = found["end_to_end"]
    assert (topic["partition"], topic["read"], topic["max_ms"], topic["mean_ms"]) == (
        None, 2, 30.0, 20.0,
    )  # fmt: skip
    assert [(row["partition"], row["max_ms"]) for row in partitions] == [(0, 30.0), (1, 10.0)]
