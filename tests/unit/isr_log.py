"""Makes small DataFrames of ISR changes, repeats and faults for the tests of tables."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.lines import ISR
from unit.tables.inline import table

Change = tuple[Any, ...]
"""(t, leader, isr) of partition 0, or (t, broker, fenced).

A partition has the replicas 1 to 3, or those in a fourth field; none of them is being added.
"""
Fault = tuple[str, str, int, float, float | None]
"""(kind, site, broker, injected, lifted)"""

START, END, LAG = 1_000.0, 11_000.0, 2_000.0


class Case(NamedTuple):
    """What the controller wrote in a run of its own, and the faults injected in it."""

    changes: Sequence[Change]
    faults: Sequence[Fault] = ()


def frames(cases: Sequence[Case]) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Make the changes, the faults and the repeats of all cases; the run of each is its number."""
    runs = [(str(number), case) for number, case in enumerate(cases)]
    lines = [line for run, case in runs for line in _lines(run, case.changes)]
    injected = [
        (run, number, *fault) for run, case in runs for number, fault in enumerate(case.faults)
    ]
    names = "run fault_no fault site broker injected_ms lifted_ms"
    return (
        table(ISR, _LINE, lines),
        table("faults", names, injected),
        repeats(*(run for run, _ in runs)),
    )


def log(*changes: Change) -> DataFrame:
    """Make lines of isr.jsonl."""
    return table(ISR, _LINE, _lines("r", changes))


_LINE = "run t_ms kind topic partition leader leader_epoch isr replicas adding broker fenced line"


def _lines(run: str, changes: Sequence[Change]) -> list[tuple[Any, ...]]:
    lines: list[tuple[Any, ...]] = []
    for number, (at, who, what, *assigned) in enumerate(changes):
        line: tuple[Any, ...]
        if isinstance(what, bool):
            line = (run, at, "broker", *[None] * 7, who, what)
        else:
            replicas = assigned[0] if assigned else [1, 2, 3]
            line = (run, at, "partition", "t", 0, who, 0, what, replicas, [], None, None)
        lines.append((*line, number))
    return lines


def repeats(*runs: str) -> DataFrame:
    """Make the one repeat of each run, from START to END, that the changes fall into."""
    window = {"start_ms": START, "end_ms": END, "complete": True}
    made = table("repeats", "run", [(run,) for run in runs or ("r",)], **window)
    return made.withColumns({"lag_ms": fn.lit(LAG), "cooldown_ms": fn.lit(LAG)})
