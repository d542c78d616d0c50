"""Makes small DataFrames of ISR changes, repeats and faults for the tests of tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from unit.tables.inline import inline_table

Change = tuple[Any, ...]
"""(t, leader, isr) of partition 0, or (t, broker, fenced).

A partition has the replicas 1 to 3, or those in a fourth field; none of them is being added.
"""
Fault = tuple[str, str, int, float, float | None]
"""(kind, site, broker, injected, lifted)"""

START, END, LAG = 1_000.0, 11_000.0, 2_000.0

_ISR_COLUMNS = (
    "run string, arm string, t_ms double, kind string, topic string, partition int,"
    " leader int, leader_epoch int, isr array<int>, replicas array<int>, adding array<int>,"
    " broker int, fenced boolean, line long"
)
_REPEAT_COLUMNS = (
    "run string, arm string, repeat int, topic string, start_ms double,"
    " end_ms double, complete boolean, lag_ms double, cooldown_ms double"
)
_FAULT_COLUMNS = (
    "run string, arm string, repeat int, fault_no int, fault string, site string, broker int,"
    " injected_ms double, lifted_ms double"
)


class Case(NamedTuple):
    """What the controller wrote in a run of its own, and the faults injected in it."""

    changes: Sequence[Change]
    faults: Sequence[Fault] = ()


def frames(spark: SparkSession, cases: Sequence[Case]) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Make the changes, the faults and the repeats of all cases; the run of each is its number."""
    runs = [(str(number), case) for number, case in enumerate(cases)]
    lines = [line for run, case in runs for line in _lines(run, case.changes)]
    injected = [
        (run, "a", 0, number, *fault)
        for run, case in runs
        for number, fault in enumerate(case.faults)
    ]
    return (
        inline_table(spark, lines, _ISR_COLUMNS),
        inline_table(spark, injected, _FAULT_COLUMNS),
        repeats(spark, *(run for run, _ in runs)),
    )


def log(spark: SparkSession, *changes: Change) -> DataFrame:
    """Make lines of isr.jsonl."""
    return inline_table(spark, _lines("r", changes), _ISR_COLUMNS)


def _lines(run: str, changes: Sequence[Change]) -> list[tuple[Any, ...]]:
    lines: list[tuple[Any, ...]] = []
    for number, (at, who, what, *assigned) in enumerate(changes):
        line: tuple[Any, ...]
        if isinstance(what, bool):
            line = (run, "a", at, "broker", *[None] * 7, who, what)
        else:
            replicas = assigned[0] if assigned else [1, 2, 3]
            line = (run, "a", at, "partition", "t", 0, who, 0, what, replicas, [], None, None)
        lines.append((*line, number))
    return lines


def repeats(spark: SparkSession, *runs: str) -> DataFrame:
    """Make the one repeat of each run, from START to END, that the changes fall into."""
    lines = [(run, "a", 0, "t", START, END, True, LAG, LAG) for run in runs or ("r",)]
    return inline_table(spark, lines, _REPEAT_COLUMNS)
