"""What followers did: removals, detections, pauses in an ISR, and added ones."""

from collections import defaultdict
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn

from insync.analysis.tables.gold.followers import detections, follower_drops
from insync.analysis.tables.silver.leaders import isr_intervals
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import END, LAG, Case, Change, Fault, frames

FULL = (500.0, 1, [1, 2, 3])
FROZEN: Fault = ("freeze", "", 3, 3_000.0, 6_000.0)
STALL: Fault = ("stall", "send", 1, 3_000.0, 6_000.0)
CUT: Fault = ("link", "", 1, 3_000.0, 6_000.0)


def test_a_removed_follower_was_healthy_unless_fenced_or_at_fault(spark: SparkSession) -> None:
    """It is at fault from the fault's beginning until a lag after its end."""
    both_out: list[tuple[float, bool]] = [
        (2_999.0, True), (3_000.0, False), (6_000.0 + LAG, False), (6_001.0 + LAG, True),
    ]  # fmt: skip
    expected: list[tuple[Case, list[tuple[float, int, bool]]]] = [
        (Case([FULL, (4_000.0, 1, [1])]), [(4_000.0, 2, True), (4_000.0, 3, True)]),
        *(
            (Case([FULL, (at, 1, [1])], [FROZEN]), [(at, 2, True), (at, 3, healthy)])
            for at, healthy in both_out
        ),
        (Case([FULL, (5_000.0, 1, [1, 2])], [STALL]), [(5_000.0, 3, True)]),
        (Case([FULL, (5_000.0, 1, [1, 3])], [CUT]), [(5_000.0, 2, False)]),
        (Case([FULL, (4_000.0, 3, True), (4_000.0, 1, [1, 2])]), [(4_000.0, 3, False)]),
    ]
    changes, injected, repeats = frames(spark, [case for case, _ in expected])
    shrinks = isr_shrinks(changes, injected, repeats, fn.lit(LAG))
    table = follower_drops(shrinks, injected, fn.lit(LAG)).orderBy("t_ms", "replica")
    found = defaultdict(list)
    for row in table.collect():
        found[int(row["run"])].append((row["t_ms"], row["replica"], row["healthy"]))
    for number, (case, drops) in enumerate(expected):
        assert found[number] == drops, case


def detected(
    spark: SparkSession, cases: list[Case], target: tuple[str, ...] = ()
) -> dict[int, list[tuple[Any, ...]]]:
    """Return (broker, partitions, detected_ms, let_in) of each case's faults."""
    changes, injected, repeats = frames(spark, cases)
    names = fn.array(*map(fn.lit, target)).cast("array<string>")
    table = detections(isr_intervals(changes, repeats), injected.withColumn("target", names))
    found: dict[int, list[tuple[Any, ...]]] = {number: [] for number in range(len(cases))}
    for row in table.orderBy("fault_no").collect():
        figures = (row["broker"], row["partitions"], row["detected_ms"], row["let_in"])
        found[int(row["run"])].append(figures)
    return found


def test_detection_counts_from_the_fault_to_the_isr_without_its_broker(spark: SparkSession) -> None:
    """A follower that joins the ISR during its own fault was let in."""
    out, back = (2_000.0, 1, [1, 2]), (4_000.0, 1, [1, 2, 3])
    again = [(5_000.0, 1, [1, 2]), (5_500.0, 1, [1, 2, 3])]
    expected: list[tuple[list[Change], float | None, int]] = [
        ([FULL, (5_400.0, 1, [1, 2]), (7_000.0, 1, [1, 2, 3])], 2_400.0, 0),
        # It was out when the fault began, so that it is detected at once whatever happens later.
        ([FULL, out], 0.0, 0),
        ([FULL, out, back], 0.0, 1),
        ([FULL, out, back, *again], 0.0, 2),
        *(
            ([FULL, out, (at, 1, [1, 2, 3])], None if at <= 3_000 else 0.0, 0)
            for at in (2_500.0, 3_000.0, 6_000.0, 6_500.0)
        ),
        # It stays to the end of the fault.
        ([FULL], None, 0),
        ([FULL, (6_500.0, 1, [1, 2])], None, 0),
        ([FULL, (4_000.0, 1, [1, 3]), (5_000.0, 1, [1, 2, 3])], None, 0),
    ]
    found = detected(spark, [Case(changes, [FROZEN]) for changes, _, _ in expected])
    for number, (changes, detected_ms, let_in) in enumerate(expected):
        assert found[number] == [(3, 1, detected_ms, let_in)], changes


def test_a_fault_of_a_leader_or_of_another_partition_has_no_detection(spark: SparkSession) -> None:
    changes = [FULL, (5_000.0, 1, [1])]
    assert detected(spark, [Case(changes, [("freeze", "", 1, 3_000.0, END)])])[0] == []
    assert detected(spark, [Case(changes, [FROZEN])], ("t-1",))[0] == []
    assert detected(spark, [Case(changes, [FROZEN])], ("t-0",))[0] == [(3, 1, 2_000.0, 0)]
