"""Makes small DataFrames of ISR changes, repeats and faults for the tests of tables."""

from typing import Any

from pyspark.sql import DataFrame, SparkSession

from unit.tables.inline import inline_table

START, END, LAG = 1_000.0, 11_000.0, 2_000.0

_ISR_COLUMNS = (
    "run string, arm string, t_ms double, kind string, topic string, partition int,"
    " leader int, leader_epoch int, isr array<int>, replicas array<int>, adding array<int>,"
    " broker int, fenced boolean, line long"
)
_REPEAT_COLUMNS = (
    "run string, arm string, repeat int, topic string, start_ms double,"
    " end_ms double, complete boolean"
)
_FAULT_COLUMNS = (
    "run string, arm string, repeat int, fault_no int, fault string, site string, broker int,"
    " injected_ms double, lifted_ms double"
)


def log(spark: SparkSession, *changes: tuple[Any, ...]) -> DataFrame:
    """Make lines of isr.jsonl: (t, leader, isr) of partition 0, or (t, broker, fenced).

    A partition has the replicas 1 to 3, or those in a fourth field; none of them is being added.
    """
    lines: list[tuple[Any, ...]] = []
    for number, (at, who, what, *assigned) in enumerate(changes):
        line: tuple[Any, ...]
        if isinstance(what, bool):
            line = ("r", "a", at, "broker", *[None] * 7, who, what)
        else:
            replicas = assigned[0] if assigned else [1, 2, 3]
            line = ("r", "a", at, "partition", "t", 0, who, 0, what, replicas, [], None, None)
        lines.append((*line, number))
    return inline_table(spark, lines, _ISR_COLUMNS)


def repeats(spark: SparkSession) -> DataFrame:
    """Make the one repeat, from START to END, that the changes fall into."""
    return inline_table(spark, [("r", "a", 0, "t", START, END, True)], _REPEAT_COLUMNS)


def faults(spark: SparkSession, *found: tuple[str, str, int, float, float | None]) -> DataFrame:
    """Make the repeat's faults: (kind, site, broker, injected, lifted)."""
    lines = [("r", "a", 0, number, *fault) for number, fault in enumerate(found)]
    return inline_table(spark, lines, _FAULT_COLUMNS)
