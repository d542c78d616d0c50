"""Judges the cells of a matrix: one per scenario, version and arm.

A cell is the part of its run's verdict that is about its arm: missing evidence of another arm does
not count, unless the arm is compared with that arm. What the row's arms lack to prove something
makes no cell unknown, but the matrix: `not_run` says it.
"""

from __future__ import annotations

from insync.analysis.verdict.decide import not_run
from insync.analysis.verdict.facts import RunFacts, arm_figures
from insync.events.matrix_info import MatrixRow
from insync.events.run_info import RunInfo
from insync.events.schema import REPORT
from insync.events.verdict import Cell, Verdict
from insync.outcome import Outcome


def judge(row: MatrixRow, run: RunInfo, facts: RunFacts, verdict: Verdict) -> list[Cell]:
    """Return a cell for every arm of a run that was made for `row`."""
    return [_cell(row, run, facts, verdict, arm) for arm in run.arms]


def without_run(row: MatrixRow) -> list[Cell]:
    """Return the cells of a row without a run: it could not run here, or was not begun."""
    return [
        Cell(
            scenario=row.scenario,
            arm=arm,
            kafka=row.kafka,
            outcome=Outcome.UNKNOWN if row.skipped is None else Outcome.SKIPPED,
            reason=row.skipped or _recorded_nothing(row, arm),
            figures=row.figures,
            report=None if row.skipped else f"{row.folder}/{REPORT}",
            **arm_figures(()),
        )
        for arm in row.arms
    ]


def _recorded_nothing(row: MatrixRow, arm: str) -> str:
    """Say that a cell has nothing to judge, and which file says why."""
    log = f"{row.kafka}/tasks/{arm}.progress.jsonl"
    return f"recorded nothing: not begun, or cut short; see {log}"


def _cell(row: MatrixRow, run: RunInfo, facts: RunFacts, verdict: Verdict, arm: str) -> Cell:
    tested = [arm] if arm in run.tested_arms else []
    recorded = any(
        value is not None for repeat in facts.arms[arm] for value in repeat.metrics.values()
    )
    cell = verdict.cell(
        arm,
        scenario=row.scenario,
        expected=run.scenario.expected_of(arm),
        figures=row.figures,
        not_run="; ".join(not_run(run, facts, tested)) or None,
        report=f"{row.folder}/{REPORT}",
    )
    return cell if recorded else cell.model_copy(update={"reason": _recorded_nothing(row, arm)})
