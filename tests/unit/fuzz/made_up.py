"""Made-up brokers: a batch that writes the cells which a predicate on scenarios asks for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from insync.events.matrix_info import MatrixInfo, MatrixRow, save_matrix
from insync.fuzz.batch import BatchSettings
from insync.progress import Progress
from insync.scenario.model import Scenario

Lost = Callable[[Scenario], int]


class MadeUpBrokers:
    """Instead of `record_batch`, `analyse_batch` and `run_batch`; `batches` are those recorded.

    `interrupt_after` is after how many seeds of which batch a Ctrl-C comes, if any.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, lost: Lost) -> None:
        self.lost = lost
        self.batches: list[list[str]] = []
        self.interrupt_at: int | None = None
        monkeypatch.setattr("insync.fuzz.runner.record_batch", self.record)
        monkeypatch.setattr("insync.fuzz.runner.analyse_batch", self.analyse)
        monkeypatch.setattr("insync.fuzz.replay.run_batch", self.record)

    def record(
        self, scenarios: Sequence[Scenario], folder: Path, bench: BatchSettings, _: Progress
    ) -> list[str]:
        folder.mkdir(parents=True)
        rows = tuple(_row(each, bench.kafka) for each in scenarios)
        save_matrix(folder, MatrixInfo(repeats=None, rows=rows, schema=1))
        self.batches.append([each.name for each in scenarios])
        interrupted = self.interrupt_at == len(self.batches)
        half = len(scenarios) // 2
        cells = [
            self._cell(each, arm, cut=interrupted and number >= half)
            for number, each in enumerate(scenarios)
            for arm in each.arms
        ]
        (folder / "matrix.json").write_text(json.dumps(cells))
        if interrupted:
            raise KeyboardInterrupt
        return []

    def analyse(self, folder: Path, _: BatchSettings, __: Progress) -> bool:
        return (folder / "matrix.json").is_file()

    def _cell(self, scenario: Scenario, arm: str, *, cut: bool) -> dict[str, Any]:
        return {
            "scenario": scenario.name, "arm": arm, "skipped": None, "differs": None,
            "unknown": "was cut short" if cut else None, "acked": [10], "agent_errors": [],
            "lost": [None if cut else self.lost(scenario)],
        }  # fmt: skip


def _row(scenario: Scenario, kafka: str) -> MatrixRow:
    return MatrixRow(
        kafka=kafka, scenario=scenario.name, summary="", arms=scenario.arms,
        folder=f"{kafka}/{scenario.name}",
    )  # fmt: skip
