"""Judges a matrix and writes `matrix.json`: one cell per scenario, version and arm.

A cell is the verdict of its run for one arm alone: missing evidence of another arm does not
count. A control arm that did not show the problem is "unknown", as in a run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.file import arm_figures, as_list, figure
from insync.analysis.verdict.findings import Finding
from insync.events.matrix_info import CELLS, MatrixRow
from insync.events.run_info import Bound, RunInfo
from insync.events.schema import REPORT
from insync.events.writer import write_atomic


@dataclass(frozen=True)
class Cell:
    """One cell: what was expected, the outcome and its reason, the repeats, the findings."""

    row: MatrixRow
    arm: str
    outcome: Literal["pass", "unknown", "fail", "skipped"]
    reason: str
    expected: dict[str, Bound]
    repeats: tuple[RepeatFacts, ...] = ()
    findings: tuple[Finding, ...] = ()


def judge(row: MatrixRow, run: RunInfo, facts: RunFacts) -> list[Cell]:
    """Judge every arm of a run that was made for `row`."""
    return [_judge_arm(row, run, facts, arm) for arm in run.arms]


def without_run(row: MatrixRow) -> list[Cell]:
    """Return the cells of a row without a run: it could not run here, or was not begun."""
    if row.skipped is not None:
        return [Cell(row, arm, "skipped", row.skipped, {}) for arm in row.arms]
    return [Cell(row, arm, "unknown", recorded_nothing(row, arm), {}) for arm in row.arms]


def recorded_nothing(row: MatrixRow, arm: str) -> str:
    """Say that a cell has nothing to judge, and which file says why."""
    told = f"{row.kafka}/tasks/{arm}.progress.jsonl"
    return f"recorded nothing: not begun, or cut short; see {told}"


def _judge_arm(row: MatrixRow, run: RunInfo, facts: RunFacts, arm: str) -> Cell:
    # Whether the other arms are complete does not matter here; this arm's own repeats say it.
    alone = RunFacts(
        finished=True,
        arms={arm: facts.arms[arm]},
        unreadable=_of_arm(facts.unreadable, arm),
        skewed=_of_arm(facts.skewed, arm),
    )
    found = decide(run.model_copy(update={"arms": (arm,)}), alone, beside=facts)
    expected = run.scenario.expected_of(arm)
    if not _recorded_anything(facts.arms[arm]):
        return Cell(row, arm, found.outcome, recorded_nothing(row, arm), expected, facts.arms[arm])
    return Cell(row, arm, found.outcome, found.reason, expected, facts.arms[arm], found.findings)


def _of_arm(files: Mapping[str, int], arm: str) -> dict[str, int]:
    return {file: count for file, count in files.items() if file.startswith(f"{arm}/")}


def _recorded_anything(repeats: tuple[RepeatFacts, ...]) -> bool:
    return any(value is not None for repeat in repeats for value in repeat.metrics.values())


def as_json(cell: Cell) -> dict[str, object]:
    """Return a cell as JSON.

    `figures` are the metrics that it shows. `ok` is null if the cell was skipped. Of `differs`,
    `unknown` and `skipped` the one that applies holds a sentence; all are null if the cell is
    as expected.
    """
    whys = {"fail": "differs", "unknown": "unknown", "skipped": "skipped"}
    return {
        "scenario": cell.row.scenario,
        "arm": cell.arm,
        "kafka": cell.row.kafka,
        "expected": {
            metric: {name: figure(value) for name, value in bound if value is not None}
            for metric, bound in cell.expected.items()
        },
        "figures": list(cell.row.figures),
        "ok": None if cell.outcome == "skipped" else cell.outcome == "pass",
        **{why: cell.reason if cell.outcome == name else None for name, why in whys.items()},
        "report": None if cell.row.skipped else f"{cell.row.folder}/{REPORT}",
        "findings": as_list(cell.findings),
        **arm_figures(cell.repeats),
    }


def write_cells(folder: Path, cells: Sequence[Cell]) -> Path:
    """Write `folder/matrix.json` and return its path."""
    text = json.dumps([as_json(cell) for cell in cells], indent=2, ensure_ascii=False)
    return write_atomic(folder / CELLS, text + "\n")
