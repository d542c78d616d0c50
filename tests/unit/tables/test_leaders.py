"""Leader changes and followers that stopped fetching, from the controller's log."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from insync.analysis.tables.silver.leaders import dead_followers, leader_changes
from unit.isr_log import log, repeats
from unit.tables.inline import inline_table

FAULTS = (
    "run string, arm string, repeat int, fault_no int, fault string, site string, mode string,"
    " broker int, target array<string>, injected_ms double, lifted_ms double"
)
FULL = (500.0, 1, [1, 2, 3])


def faults(
    spark: SparkSession,
    *found: tuple[str, str, int, list[str], float, float],
    mode: str = "",
) -> DataFrame:
    lines = [
        ("r", "a", 0, number, *fault[:2], mode, *fault[2:]) for number, fault in enumerate(found)
    ]
    return inline_table(spark, lines, FAULTS)


def changes(
    spark: SparkSession, isr: DataFrame, injected: DataFrame | None = None
) -> list[tuple[Any, ...]]:
    found = leader_changes(isr, injected or faults(spark), repeats(spark))
    return [
        (row.t_ms, row.leader_before, row.leader, row.planned)
        for row in found.orderBy("t_ms").collect()
    ]


def test_a_change_names_the_last_leader_also_after_a_while_without(spark: SparkSession) -> None:
    isr = log(
        spark, FULL, (2_000.0, 1, [1, 2]), (3_000.0, -1, []), (4_000.0, 2, [2]), (5_000.0, -1, []),
        (6_000.0, 2, [2, 3]),
    )  # fmt: skip
    assert changes(spark, isr) == [(4_000.0, 1, 2, False)]


def test_only_changes_inside_the_repeat_count(spark: SparkSession) -> None:
    isr = log(spark, FULL, (900.0, 2, [1, 2, 3]), (5_000.0, 3, [2, 3]), (12_000.0, 1, [1]))
    assert changes(spark, isr) == [(5_000.0, 2, 3, False)]


@pytest.mark.parametrize(
    ("broker", "target", "at", "planned"),
    [
        (2, ["t-0"], 3_000.0, True),
        (2, ["t-0", "t-1"], 2_100.0, True),
        (3, ["t-0"], 3_000.0, False),  # another broker came to lead than was elected
        (2, ["t-1"], 3_000.0, False),
        (2, ["t-0"], 6_000.0, False),
    ],
)
def test_an_election_of_the_scenario_is_planned(
    spark: SparkSession, broker: int, target: list[str], at: float, planned: bool
) -> None:
    elected = faults(spark, ("elect", "", broker, target, at, at + 50.0))
    isr = log(spark, FULL, (3_010.0, 2, [1, 2, 3]))
    assert changes(spark, isr, elected) == [(3_010.0, 1, 2, planned)]


@pytest.mark.parametrize(("mode", "unclean"), [("unclean", True), ("", False)])
def test_an_unclean_election_of_the_scenario_is_told_from_others(
    spark: SparkSession, mode: str, unclean: bool
) -> None:
    elected = faults(spark, ("elect", "", 2, ["t-0"], 3_000.0, 3_050.0), mode=mode)
    isr = log(spark, (500.0, 1, [1]), (2_000.0, -1, [1]), (3_010.0, 2, [2]), (5_000.0, 1, [1, 2]))
    found = leader_changes(isr, elected, repeats(spark)).orderBy("t_ms").collect()
    assert [(row.planned, row.unclean) for row in found] == [(True, unclean), (False, False)]


def dropped(spark: SparkSession, isr: DataFrame, *fault: Any) -> list[tuple[int, float | None]]:
    found = dead_followers(isr, faults(spark, fault), repeats(spark))
    return [(row.broker, row.took_ms) for row in found.collect()]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (("kill", "", 3, [], 2_000.0, 9_000.0), [(3, 1_500.0)]),
        (("lost-log", "", 3, [], 2_000.0, 9_000.0), [(3, 1_500.0)]),
        (("stall", "write", 3, ["t-0"], 3_000.0, 9_000.0), [(3, 500.0)]),
        (("stall", "write", 3, ["t-1"], 3_000.0, 9_000.0), []),  # it stalls for another partition
        (("stall", "read", 3, ["t-0"], 3_000.0, 9_000.0), []),  # this is not a way to fall behind
        (("kill", "", 1, [], 2_000.0, 9_000.0), []),  # the leader
        (("freeze", "", 2, [], 2_000.0, 9_000.0), [(2, None)]),  # it was kept
        (("kill", "", 3, [], 4_000.0, 9_000.0), []),  # out already
    ],
)
def test_a_dead_follower_is_timed_from_its_fault_to_the_isr_without_it(
    spark: SparkSession, fault: tuple[Any, ...], expected: list[tuple[int, float | None]]
) -> None:
    isr = log(spark, FULL, (3_500.0, 1, [1, 2]), (9_500.0, 1, [1, 2, 3]))
    assert dropped(spark, isr, *fault) == expected
