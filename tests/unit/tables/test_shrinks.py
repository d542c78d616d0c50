"""ISR shrinks from the controller's log: their causes, moments and delays."""

from collections.abc import Sequence
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.tables.silver import shrinks
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import LAG, faults, log, repeats
from unit.tables.inline import inline_table

Fault = tuple[str, str, int, float, float | None]

FULL = (500.0, 1, [1, 2, 3])
STALL: Fault = ("stall", "read", 1, 3_000.0, 6_000.0)


def found(
    spark: SparkSession, changes: DataFrame, injected: Sequence[Fault], *columns: str
) -> list[tuple[Any, ...]]:
    table = isr_shrinks(changes, faults(spark, *injected), repeats(spark), fn.lit(LAG))
    return [tuple(row) for row in table.orderBy("t_ms").select(*columns).collect()]


def causes(
    spark: SparkSession, changes: DataFrame, injected: Sequence[Fault]
) -> list[tuple[Any, ...]]:
    return found(spark, changes, injected, "t_ms", "removed", "cause", "fault_no")


def moment(spark: SparkSession, at: float, *injected: Fault) -> str | None:
    ((name,),) = found(spark, log(spark, FULL, (at, 1, [1])), injected, "moment")
    return name


@pytest.mark.parametrize(
    ("at", "cause", "fault_no"),
    [
        (2_999.0, "lag", None),
        (3_000.0, "leader: read stall", 0),
        (6_000.0, "leader: read stall", 0),
        (6_000.0 + LAG, "leader: read stall", 0),
        (6_001.0 + LAG, "lag", None),
    ],
)
def test_a_shrink_during_or_soon_after_a_fault_of_the_leader_has_it_as_its_cause(
    spark: SparkSession, at: float, cause: str, fault_no: int | None
) -> None:
    changes = log(spark, FULL, (at, 1, [1]))
    assert causes(spark, changes, [STALL]) == [(at, [2, 3], cause, fault_no)]


def test_a_fault_of_a_removed_follower_is_the_cause(spark: SparkSession) -> None:
    changes = log(spark, FULL, (5_000.0, 1, [1, 3]))
    frozen = ("freeze", "", 2, 3_000.0, 6_000.0)
    assert causes(spark, changes, [frozen])[0][2:] == ("follower: freeze", 0)


@pytest.mark.parametrize("broker", [1, 2])
def test_a_broken_link_is_the_fault_of_neither_end(spark: SparkSession, broker: int) -> None:
    changes = log(spark, FULL, (5_000.0, 1, [1, 3]))
    assert causes(spark, changes, [("link", "", broker, 2_000.0, 6_000.0)])[0][2] == "link"


def test_a_fault_of_another_broker_is_not_the_cause(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 1, [1, 2]))
    assert causes(spark, changes, [("stall", "read", 3, 0.0, 1_500.0)])[0][2] == "lag"
    assert causes(spark, changes, [("stall", "read", 2, 3_000.0, 6_000.0)])[0][2] == "lag"


def test_of_two_faults_the_later_one_that_was_old_enough_is_the_cause(spark: SparkSession) -> None:
    changes = log(spark, FULL, (6_000.0, 1, [1]))
    early: Fault = ("stall", "read", 1, 3_000.0, 5_500.0)
    assert causes(spark, changes, [early, ("stall", "send", 1, 4_000.0, None)])[0][2:] == (
        "leader: send stall",
        1,
    )
    assert causes(spark, changes, [early, ("stall", "send", 1, 5_600.0, None)])[0][2:] == (
        "leader: read stall",
        0,
    )


def test_fencing_precedes_any_fault_as_the_cause(spark: SparkSession) -> None:
    changes = log(
        spark,
        (400.0, 3, False),
        FULL,
        (4_000.0, 3, True),
        (4_000.0, 1, [1, 2]),
        (5_000.0, 3, False),
        (5_500.0, 1, [1, 2, 3]),
        (6_000.0, 1, [1, 2]),
    )
    assert causes(spark, changes, [("stall", "read", 1, 3_000.0, 4_500.0)]) == [
        (4_000.0, [3], "fenced", None),
        (6_000.0, [3], "leader: read stall", 0),
    ]


def test_changes_of_one_millisecond_count_one_by_one(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 1, [1]), (4_000.0, 1, [1, 2]))
    assert [row[1] for row in causes(spark, changes, [])] == [[2, 3]]


def test_growth_reordering_and_changes_outside_the_repeat_are_no_shrinks(
    spark: SparkSession,
) -> None:
    changes = log(
        spark,
        FULL,
        (600.0, 1, [1]),
        (2_000.0, 1, [1, 2, 3]),
        (3_000.0, 1, [3, 2, 1]),
        (12_000.0, 1, [1]),
    )
    assert causes(spark, changes, []) == []


def test_a_shrink_that_costs_the_leader_counts_for_the_leader_before(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 2, [2, 3]))
    assert causes(spark, changes, [("stall", "send", 1, 3_500.0, 9_000.0)]) == [
        (4_000.0, [1], "leader: send stall", 0)
    ]


@pytest.mark.parametrize(
    ("at", "name"),
    [
        (2_999.0, "before"),
        (3_000.0, "during"),
        (6_000.0, "during"),
        (6_001.0, "on_lift"),
        (7_500.0, "on_lift"),
        (7_501.0, "after"),
    ],
)
def test_a_shrink_is_placed_among_the_faults(spark: SparkSession, at: float, name: str) -> None:
    assert moment(spark, at, STALL) == name


def test_a_fault_that_has_only_begun_does_not_hide_that_another_has_just_ended(
    spark: SparkSession,
) -> None:
    second: Fault = ("stall", "read", 1, 6_200.0, 9_000.0)
    assert moment(spark, 6_300.0, STALL, second) == "on_lift"
    assert moment(spark, 8_300.0, STALL, second) == "during"


def test_without_a_fault_there_is_no_moment_and_nothing_is_due(spark: SparkSession) -> None:
    columns = ("moment", "due_ms", "late_ms", "delayed")
    changes = log(spark, FULL, (4_000.0, 1, [1]))
    assert found(spark, changes, [], *columns) == [(None, None, None, False)]


@pytest.mark.parametrize(
    ("at", "late_ms", "delayed"),
    [(4_900.0, -100.0, False), (6_500.0, 1_500.0, False), (6_501.0, 1_501.0, True)],
)
def test_a_shrink_later_than_the_next_run_of_isr_expiration_is_delayed(
    spark: SparkSession, at: float, late_ms: float, delayed: bool
) -> None:
    columns = ("due_ms", "late_ms", "delayed")
    changes = log(spark, FULL, (at, 1, [1]))
    assert found(spark, changes, [STALL], *columns) == [(5_000.0, late_ms, delayed)]


def test_a_leader_elected_during_a_fault_measures_all_followers_anew(spark: SparkSession) -> None:
    changes = log(spark, FULL, (4_000.0, 2, [1, 2, 3]), (6_900.0, 2, [2, 3]))
    held = ("stall", "read", 1, 3_000.0, 9_000.0)
    columns = ("cause", "due_ms", "late_ms", "delayed")
    assert found(spark, changes, [held], *columns) == [
        ("follower: read stall", 6_000.0, 900.0, False)
    ]


@pytest.mark.parametrize(
    ("arm", "stepped_down"),
    [("step-down-unthrottled", True), ("stock", False)],
)
def test_a_leader_steps_down_only_in_an_arm_that_allows_it(
    spark: SparkSession, arm: str, stepped_down: bool
) -> None:
    row = inline_table(
        spark,
        [(arm, True, [1], 1)],
        "arm string, handed_over boolean, removed array<int>, leader int",
    )
    assert row.select(shrinks._stepped_down().alias("it")).first() == (stepped_down,)
