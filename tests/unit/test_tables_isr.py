"""ISR intervals and shrinks from the lines of the controller's log."""

from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from insync.tables import isr

START, END, LAG = 1_000.0, 11_000.0, 2_000.0

ISR_COLUMNS = (
    "arm string, t_ms double, kind string, topic string, partition int, leader int,"
    " leader_epoch int, isr array<int>, replicas array<int>, broker int, fenced boolean, line long"
)
REPEAT_COLUMNS = (
    "arm string, repeat int, topic string, start_ms double, end_ms double, complete boolean"
)
FAULT_COLUMNS = (
    "arm string, repeat int, fault_no int, site string, broker int,"
    " injected_ms double, lifted_ms double"
)


def log(spark: SparkSession, *changes: tuple[Any, ...]) -> DataFrame:
    """Make a log of changes: (t, leader, isr) of partition 0, or (t, broker, fenced)."""
    lines: list[tuple[Any, ...]] = []
    for number, (at, who, what) in enumerate(changes):
        line: tuple[Any, ...]
        if isinstance(what, bool):
            line = ("a", at, "broker", None, None, None, None, None, None, who, what)
        else:
            line = ("a", at, "partition", "t", 0, who, 0, what, [1, 2, 3], None, None)
        lines.append((*line, number))
    return spark.createDataFrame(lines, ISR_COLUMNS)


def repeats(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([("a", 0, "t", START, END, True)], REPEAT_COLUMNS)


def faults(spark: SparkSession, *stalls: tuple[str, int, float, float | None]) -> DataFrame:
    lines = [("a", 0, number, *stall) for number, stall in enumerate(stalls)]
    return spark.createDataFrame(lines, FAULT_COLUMNS)


def spans(table: DataFrame) -> list[tuple[Any, ...]]:
    found = table.orderBy("start_ms").select("start_ms", "end_ms", "leader", "isr_size").collect()
    return [tuple(row) for row in found]


def causes(
    spark: SparkSession, changes: DataFrame, stalls: Sequence[tuple[str, int, float, float | None]]
) -> list[tuple[Any, ...]]:
    table = isr.isr_shrinks(changes, faults(spark, *stalls), repeats(spark), LAG)
    found = table.orderBy("t_ms").select("t_ms", "removed", "cause", "fault_no").collect()
    return [tuple(row) for row in found]


def test_intervals_are_clipped_to_the_repeat(spark: SparkSession) -> None:
    changes = log(
        spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (5_000.0, -1, [1]), (20_000.0, 1, [1])
    )
    assert spans(isr.isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, 5_000.0, 1, 1),
        (5_000.0, END, -1, 1),
    ]


def test_changes_of_one_millisecond_keep_the_order_of_the_log(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]), (4_000.0, 1, [1, 2]))
    assert spans(isr.isr_intervals(changes, repeats(spark))) == [
        (START, 4_000.0, 1, 3),
        (4_000.0, END, 1, 2),
    ]
    assert [row[1] for row in causes(spark, changes, [])] == [[2, 3]]


@pytest.mark.parametrize(
    ("at", "cause", "fault_no"),
    [
        (2_999.0, "lag", None),
        (3_000.0, "leader stalled: read", 0),
        (6_000.0, "leader stalled: read", 0),
        (6_000.0 + LAG, "leader stalled: read", 0),
        (6_001.0 + LAG, "lag", None),
    ],
)
def test_a_shrink_during_or_soon_after_a_stall_of_the_leader_is_put_down_to_it(
    spark: SparkSession, at: float, cause: str, fault_no: int | None
) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (at, 1, [1]))
    stall = ("read", 1, 3_000.0, 6_000.0)
    assert causes(spark, changes, [stall]) == [(at, [2, 3], cause, fault_no)]


def test_a_stall_of_another_broker_is_not_blamed(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (4_000.0, 1, [1]))
    assert causes(spark, changes, [("read", 2, 3_000.0, 6_000.0)])[0][2] == "lag"


def test_of_two_stalls_the_later_one_is_blamed(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (5_000.0, 1, [1]))
    stalls = [("read", 1, 3_000.0, 3_500.0), ("send", 1, 4_500.0, None)]
    assert causes(spark, changes, stalls)[0][2:] == ("leader stalled: send", 1)


def test_a_fenced_member_goes_before_any_stall(spark: SparkSession) -> None:
    changes = log(
        spark,
        (400.0, 3, False),
        (500.0, 1, [1, 2, 3]),
        (4_000.0, 3, True),
        (4_000.0, 1, [1, 2]),
        (5_000.0, 3, False),
        (5_500.0, 1, [1, 2, 3]),
        (6_000.0, 1, [1, 2]),
    )
    assert causes(spark, changes, [("read", 1, 3_000.0, 4_500.0)]) == [
        (4_000.0, [3], "fenced", None),
        (6_000.0, [3], "leader stalled: read", 0),
    ]


def test_growth_reordering_and_changes_outside_the_repeat_are_no_shrinks(
    spark: SparkSession,
) -> None:
    changes = log(
        spark,
        (500.0, 1, [1, 2, 3]),
        (600.0, 1, [1]),
        (2_000.0, 1, [1, 2, 3]),
        (3_000.0, 1, [3, 2, 1]),
        (12_000.0, 1, [1]),
    )
    assert causes(spark, changes, []) == []


def test_a_shrink_that_costs_the_leader_counts_for_the_leader_before(spark: SparkSession) -> None:
    changes = log(spark, (500.0, 1, [1, 2, 3]), (4_000.0, 2, [2, 3]))
    assert causes(spark, changes, [("send", 1, 3_500.0, 9_000.0)]) == [
        (4_000.0, [1], "leader stalled: send", 0)
    ]
