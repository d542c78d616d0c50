"""The built-in scenarios behave as they expect, scaled down.

`tests/every_scenario.py` names their arms; all are recorded first, two or more arms at a time, and
analysed together. `make test-all` records all arms of all scenarios.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from every_scenario import RecordedScenarios, Row, long_rows, short_rows
from insync.scenario.load import load

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=pytest.mark.scenario(row.scenario))
        for row in short_rows()
    ],
)
def test_a_scenario_is_as_it_expects(scenarios: RecordedScenarios, row: Row) -> None:
    cells = scenarios.cells(row.scenario, row.kafka)
    assert set(cells) == set(row.arms)
    for reason in {cell["skipped"] for cell in cells.values()} - {None}:
        pytest.skip(reason)
    scenario, run = load(row.scenario), scenarios.run(row.scenario, row.kafka)
    for arm, cell in cells.items():
        assert cell["ok"], (*_found(run, arm), *scenarios.wrong)
        assert bool(cell["evidence"]) == bool(scenario.faults or scenario.race), arm
    assert any(cell["expected"] for cell in cells.values())


def _found(run: Path, arm: str) -> list[str]:
    """Return what differs in an arm, and its step-downs: the evidence that outlives the machine."""
    findings = json.loads((run / "verdict.json").read_text(encoding="utf-8"))["findings"]
    differs = [str(each) for each in findings if each["outcome"] != "pass"]
    step_downs = run / "events" / arm / "step-downs.jsonl"
    return differs + (
        step_downs.read_text(encoding="utf-8").splitlines() if step_downs.exists() else []
    )


@pytest.mark.long
def test_every_arm_of_every_scenario_is_as_it_expects(every_arm: RecordedScenarios) -> None:
    recorded = {row: every_arm.cells(row.scenario, row.kafka) for row in long_rows()}
    assert [row.name for row, cells in recorded.items() if set(cells) != set(row.arms)] == []
    differs = {
        (row.name, arm): cell["differs"] or cell["unknown"]
        for row, cells in recorded.items()
        for arm, cell in cells.items()
        if cell["ok"] is False
    }
    assert differs == {}, every_arm.wrong
