from typing import Any

import pytest
from pyspark.sql import DataFrame

from insync.analysis.checks import duplicate, lost_write, records
from insync.analysis.checks.registry import find_in_records
from insync.analysis.tables.bronze.lines import CONSUME, PRODUCE, READ_BACK
from unit.tables.inline import table

Lines = list[tuple[Any, ...]]


def fates(sent: Lines, read: Lines, ends: Lines) -> DataFrame:
    own = {"sent_ms": 0.0, "producer": 0, "idempotent": False}
    return records.record_fates(
        table(PRODUCE, "seq done_ms error offset", sent, **own),
        table(CONSUME, "offset seq read_ms fresh", read),
        table(READ_BACK, "fresh position end_offset", ends),
    )


def counted(sent: Lines, read: Lines, ends: Lines, moves: Lines) -> dict[str, Any]:
    """Return what was acked, read, lost and duplicated of a partition."""
    changes = table("leader_changes", "t_ms planned unclean", moves)
    grid, found = table("comparable", rows=[()]), fates(sent, read, ends)
    (row,) = records.readback(grid, found, changes).collect()
    return dict(row.asDict())


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
    changes: list[tuple[float, bool]], expected: int
) -> None:
    """Two are lost: acked at 1.05 s and at 1.2 s; a third one, acked at 0.9 s, was read."""
    acked = [(0, 900.0, None, 10), (1, 1_050.0, None, 11), (2, 1_200.0, None, 12)]
    moves = [(*each, False) for each in changes]
    row = counted(acked, [(10, 0, 9.0, None)], [], moves)
    assert (row["lost"], row["lost_at_moves"], row["lost_at_unclean"]) == (2, expected, 0)


@pytest.mark.parametrize(
    ("changes", "expected", "acked"),
    [
        ([(2_000.0, True, True)], 2, 1),
        ([(2_000.0, True, False)], 0, 1),
        ([(1_500.0, False, False), (2_000.0, True, True)], 0, 0),
        ([(100.0, True, True)], 1, 0),
    ],
)
def test_records_that_an_unclean_election_cost_are_counted_also_those_that_were_only_read(
    changes: list[tuple[float, bool, bool]], expected: int, acked: int
) -> None:
    """Two are lost: one was acked at 1.2 s, one was read at 1.05 s and never acked."""
    sent = [(0, 1_200.0, None, 10), (1, None, None, None)]
    row = counted(sent, [(11, 1, 1_050.0, False)], [(True, 5, 5)], changes)
    assert (row["lost"], row["lost_at_unclean"], row["lost_at_moves"]) == (2, expected, acked)


def test_without_any_line_all_counts_are_zero() -> None:
    row = counted([], [], [], [])
    assert {row[name] for name in ("acked", "read", "lost", "duplicated", "lost_at_moves")} == {0}


def test_lost_and_duplicated_records_are_shown_by_what_was_done_with_them() -> None:
    sent = [(0, 1.0, None, 10), (1, 1.0, None, 11)]
    found = fates(sent, [(10, 0, 9.0, None), (12, 0, 9.0, None)], [])
    odd = find_in_records(found, (lost_write.found, duplicate.found)).orderBy("kind").collect()
    assert [(row["kind"], [each["what"] for each in row["operations"]]) for row in odd] == [
        ("duplicate", ["produce", "read", "read"]), ("lost-write", ["ack"]),
    ]  # fmt: skip
