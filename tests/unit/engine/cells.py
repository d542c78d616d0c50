"""Cells for tests: a scenario on an arm, in a run folder."""

from pathlib import Path
from typing import Any

from insync.run.cell import CellSpec
from insync.scenario.load import load
from insync.scenario.model import Scenario


def cell(scenario: str | Scenario, out: Path, arm: str = "stock", **more: Any) -> CellSpec:
    known = load(scenario) if isinstance(scenario, str) else scenario
    fields = {"text": "text", "builtin": True, "kafka": "4.3.1", "controller_agent": False, **more}
    return CellSpec(scenario=known, arm=arm, out=out, **fields)


def named(name: str, out: Path, arm: str = "stock", **more: Any) -> CellSpec:
    return cell(load("freeze").model_copy(update={"name": name}), out, arm, **more)
