"""Judges a matrix and writes `matrix.json`: one cell per scenario, version and arm.

A cell is the verdict of its run for one arm alone: missing evidence of another arm does not
count, unless the arm is compared with that arm. A control arm that did not show the problem is
"unknown", as in a run. An arm of which nothing is expected is "observed". What the row's arms lack
to prove something makes no cell unknown, but the matrix: `not_run` says it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.analysis.verdict.decide import decide, not_run
from insync.analysis.verdict.expectations import is_observed
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.file import arm_figures, as_list, figure
from insync.analysis.verdict.findings import OBSERVED, Finding
from insync.events.matrix_info import CELLS, MatrixRow
from insync.events.run_info import Bound, RunInfo
from insync.events.schema import REPORT
from insync.events.writer import write_atomic
from insync.outcome import Outcome


@dataclass(frozen=True)
class Cell:
    """One cell: what was expected, the outcome and its reason, the repeats, the findings."""

    row: MatrixRow
    arm: str
    outcome: Outcome
    reason: str
    expected: dict[str, Bound]
    repeats: tuple[RepeatFacts, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_run: str | None = None


def judge(row: MatrixRow, run: RunInfo, facts: RunFacts) -> list[Cell]:
    """Judge every arm of a run that was made for `row`."""
    return [_judge_arm(row, run, facts, arm) for arm in run.arms]


def without_run(row: MatrixRow) -> list[Cell]:
    """Return the cells of a row without a run: it could not run here, or was not begun."""
    if row.skipped is not None:
        return [Cell(row, arm, Outcome.SKIPPED, row.skipped, {}) for arm in row.arms]
    return [Cell(row, arm, Outcome.UNKNOWN, recorded_nothing(row, arm), {}) for arm in row.arms]


def recorded_nothing(row: MatrixRow, arm: str) -> str:
    """Say that a cell has nothing to judge, and which file says why."""
    log = f"{row.kafka}/tasks/{arm}.progress.jsonl"
    return f"recorded nothing: not begun, or cut short; see {log}"


def _judge_arm(row: MatrixRow, run: RunInfo, facts: RunFacts, arm: str) -> Cell:
    # Whether the other arms are complete does not matter here; this arm's own repeats say it.
    alone = RunFacts(
        finished=True,
        arms={arm: facts.arms[arm]},
        unreadable=_of_arm(facts.unreadable, arm),
        skewed=_of_arm(facts.skewed, arm),
    )
    only = run.model_copy(update={"arms": (arm,)})
    found = decide(only, alone, beside=facts)
    expected = run.scenario.expected_of(arm)
    tested = [arm] if arm in run.tested_arms else []
    lacks = "; ".join(not_run(run, facts, tested)) or None
    if not _recorded_anything(facts.arms[arm]):
        reason = recorded_nothing(row, arm)
        return Cell(row, arm, found.outcome, reason, expected, facts.arms[arm], not_run=lacks)
    outcome, reason = found.outcome, found.reason
    if outcome == Outcome.PASS and is_observed(only, facts, arm):
        return Cell(
            row, arm, Outcome.OBSERVED, OBSERVED, expected, facts.arms[arm], found.findings, lacks
        )
    return Cell(row, arm, outcome, reason, expected, facts.arms[arm], found.findings, lacks)


def _of_arm(files: Mapping[str, int], arm: str) -> dict[str, int]:
    return {file: count for file, count in files.items() if file.startswith(f"{arm}/")}


def _recorded_anything(repeats: tuple[RepeatFacts, ...]) -> bool:
    return any(value is not None for repeat in repeats for value in repeat.metrics.values())


def as_json(cell: Cell) -> dict[str, object]:
    """Return a cell as JSON.

    `figures` are the metrics that it shows. `ok` is null if the cell was skipped or observed. Of
    `differs`, `unknown`, `observed` and `skipped` the one that applies holds a sentence; all are
    null if the cell is as expected. `not_run` names the arms that its row lacks, if any.
    """
    whys = {
        Outcome.FAIL: "differs", Outcome.UNKNOWN: "unknown", Outcome.OBSERVED: "observed",
        Outcome.SKIPPED: "skipped",
    }  # fmt: skip
    return {
        "scenario": cell.row.scenario,
        "arm": cell.arm,
        "kafka": cell.row.kafka,
        "expected": {
            metric: {name: figure(value) for name, value in bound if value is not None}
            for metric, bound in cell.expected.items()
        },
        "figures": list(cell.row.figures),
        "ok": None
        if cell.outcome in (Outcome.SKIPPED, Outcome.OBSERVED)
        else cell.outcome == Outcome.PASS,
        **{why: cell.reason if cell.outcome == name else None for name, why in whys.items()},
        "not_run": cell.not_run,
        "report": None if cell.row.skipped else f"{cell.row.folder}/{REPORT}",
        "findings": as_list(cell.findings),
        **arm_figures(cell.repeats),
    }


def write_cells(folder: Path, cells: Sequence[Cell]) -> Path:
    """Write `folder/matrix.json` and return its path."""
    text = json.dumps([as_json(cell) for cell in cells], indent=2, ensure_ascii=False)
    return write_atomic(folder / CELLS, text + "\n")
