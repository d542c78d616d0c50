"""Writes the folders of made-up runs and matrices as if they had been analysed."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from insync import metrics
from insync.events.matrix_info import MatrixInfo, MatrixRow, save_matrix
from insync.events.verdict import Cell, write_cells, write_verdict
from unit.run_folder import EPOCH_MS, Story, run_json
from unit.verdict import made_up

Values = Mapping[str, Sequence[float | None]]


def write_past(
    folder: Path,
    *,
    scenario: str = "made-up",
    kafka: str = "4.3.1",
    verdict: str | None = "pass",
    hours: float = 0,
    finished: bool = True,
    **arms: Values,
) -> Path:
    """Write a run folder; `arms` are the metrics of each, `hours` when it began."""
    repeats = max((len(of) for arm in arms.values() for of in arm.values()), default=1)
    keys = run_json(Story(arms=tuple(arms) or ("stock",), repeats=repeats, finished=finished))
    began = EPOCH_MS + hours * 3.6e6
    keys |= {"scenario_name": scenario, "kafka": kafka, "started_ms": began}
    if finished:
        keys["finished_ms"] = began + 60_000
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(keys))
    if verdict is not None:
        known = {arm: figures(repeats, of) for arm, of in arms.items()}
        findings = [
            {"arm": arm, "expected": "", "outcome": verdict, "found": ["why"]} for arm in arms
        ]
        found = made_up.verdict(
            scenario=scenario, kafka=kafka, verdict=verdict, reason=f"it is a {verdict}",
            arms=known, findings=findings,
        )  # fmt: skip
        write_verdict(folder, found)
    return folder


def write_matrix(folder: Path, scenarios: Sequence[str], **arms: Values) -> Path:
    rows = tuple(
        MatrixRow(
            kafka="4.3.1", scenario=name, summary="", arms=tuple(arms), folder=f"4.3.1/{name}"
        )
        for name in scenarios
    )
    cells = []
    for row in rows:
        write_past(folder / row.folder, scenario=row.scenario, **arms)
        cells += [cell(row.scenario, arm, of) for arm, of in arms.items()]
    save_matrix(folder, MatrixInfo(rows=rows))
    write_cells(folder, cells)
    return folder


def cell(scenario: str, arm: str, of: Values) -> Cell:
    repeats = max(len(values) for values in of.values())
    return made_up.cell(scenario, arm, **figures(repeats, of))


def figures(repeats: int, of: Values) -> dict[str, Any]:
    unknown = {name: [None] * repeats for name in metrics.of_verdict()}
    return {"repeats": repeats, **unknown, **of, "evidence": [], "agent_errors": []}
