"""Time under-replicated, under min ISR and offline: per partition, and for the whole topic."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as fn

from insync.analysis.tables.gold.followers import availability
from properties import slow_property
from unit.tables.inline import table

ALL = [1, 2, 3]
Span = tuple[int, int, int, float, float]
Assigned = tuple[list[int] | None, list[int] | None]
LANES = st.lists(
    st.lists(st.tuples(st.integers(1, 3), st.integers(1, 9)), min_size=1, max_size=5),
    min_size=1,
    max_size=3,
)
"""Of each partition the sizes of its ISR, with how long each lasts."""


def measure(
    *repeats: list[Span], assigned: list[Assigned] | None = None
) -> list[dict[int | None, dict[str, Any]]]:
    """Compute the table for repeats of (partition, leader, size, start, end), min ISR 2.

    `assigned` are the replicas of each repeat's partitions and those that are being added.
    """
    of_repeat = assigned or [(ALL, [])] * len(repeats)
    names = "repeat partition leader isr_size start_ms end_ms replicas adding"
    rows = [(n, *span, *of_repeat[n]) for n, spans in enumerate(repeats) for span in spans]
    intervals = table("isr_intervals", names, rows).withColumn("min_insync_replicas", fn.lit(2))
    found: list[dict[int | None, dict[str, Any]]] = [{} for _ in repeats]
    for row in availability(intervals).collect():
        found[row["repeat"]][row["partition"]] = row.asDict()
    return found


def test_overlapping_spans_of_two_partitions_count_once() -> None:
    (found,) = measure([
        (0, 1, 3, 0.0, 100.0), (0, 1, 1, 100.0, 400.0), (0, 1, 3, 400.0, 1_000.0),
        (1, 1, 1, 0.0, 50.0), (1, 1, 3, 50.0, 300.0), (1, 1, 1, 300.0, 600.0),
        (1, -1, 1, 600.0, 700.0), (1, 2, 2, 700.0, 1_000.0),
    ])  # fmt: skip
    names = ("under_min_isr_ms", "offline_ms", "under_replicated_ms")
    assert {key: [row[name] for name in names] for key, row in found.items()} == {
        0: [300.0, 0.0, 300.0], 1: [450.0, 100.0, 750.0], None: [650.0, 100.0, 950.0],
    }  # fmt: skip
    assert found[None]["min_isr_size"] == 1


def test_a_replica_that_is_still_being_added_makes_no_partition_under_replicated() -> None:
    assigned: list[Assigned] = [(ALL, None), (ALL, []), (ALL, [3]), ([1, 2], []), (None, None)]
    two_in_sync: list[Span] = [(0, 1, 2, 0.0, 100.0)]
    found = measure(*[two_in_sync] * len(assigned), assigned=assigned)
    for key in (0, None):
        short_ms = [each[key]["under_replicated_ms"] for each in found]
        assert short_ms == [100.0, 100.0, 0.0, 0.0, None]


def test_without_intervals_there_is_no_row() -> None:
    assert measure([]) == [{}]


@slow_property(2)
@given(st.lists(LANES, min_size=40, max_size=40))
def test_the_union_equals_a_count_of_every_millisecond(
    repeats: list[list[list[tuple[int, int]]]],
) -> None:
    spans: list[list[Span]] = [[] for _ in repeats]
    under: list[set[int]] = [set() for _ in repeats]
    for repeat, lanes in enumerate(repeats):
        for partition, steps in enumerate(lanes):
            at = 0
            for size, length in steps:
                spans[repeat].append((partition, 1, size, float(at), float(at + length)))
                under[repeat].update(range(at, at + length) if size < 2 else ())
                at += length
    found = measure(*spans)
    assert [each[None]["under_min_isr_ms"] for each in found] == [len(each) for each in under]
