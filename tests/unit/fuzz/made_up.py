"""Made-up brokers: a batch that writes the cells which a predicate on scenarios asks for."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from insync.events.verdict import Cell, write_cells
from insync.run.plan import Plan
from insync.scenario.model import Scenario
from unit.verdict.made_up import cell

Lost = Callable[[Scenario], int]


class MadeUpBrokers:
    """Records and analyses batches; `batches` are those recorded, with the scenarios' names.

    `interrupt_at` is the number of the batch in which a Ctrl-C comes, if any.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lost: Lost) -> None:
        self.lost = lost
        self.batches: list[list[str]] = []
        self.folders: list[Path] = []
        self.interrupt_at: int | None = None
        kafka = SimpleNamespace(version="4.3.1")
        tools = SimpleNamespace(kafka=kafka)
        monkeypatch.setattr("insync.engine.scenarios.find_tools", lambda *_: tools)
        monkeypatch.setattr("insync.engine.scenarios.unavailable", lambda *_: None)
        monkeypatch.setattr("insync.engine.scenarios.record", self.record)
        monkeypatch.setattr("insync.engine.scenarios.analyse_matrices", lambda *_: None)

    def record(self, folders: Mapping[Path, Sequence[Plan]], *_: object) -> list[str]:
        ((folder, runs),) = folders.items()
        self.batches.append([run.scenario.name for run in runs])
        self.folders.append(folder)
        if self.interrupt_at == len(self.batches):
            raise KeyboardInterrupt
        cells = [self._cell(cell.scenario, cell.arm) for run in runs for cell in run.cells]
        write_cells(folder, cells)
        return []

    def _cell(self, scenario: Scenario, arm: str) -> Cell:
        lost = [self.lost(scenario)]
        return cell(scenario.name, arm, acked=[10], agent_errors=[], lost=lost, report="r")
