"""The campaign of `insync matrix`: scenarios on arms of one or several Kafkas, in one table."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from insync.artifacts import sha256_of
from insync.brokers.kafka.builds import find
from insync.engine.campaign import Done
from insync.engine.scenarios import ScenarioCampaign, row_of
from insync.errors import InputError
from insync.events.matrix_info import Along, MatrixRow
from insync.events.verdict import Cell
from insync.matrix.groups import GroupRow, MatrixRequest, entries
from insync.report.junit import matrix_suites
from insync.result import Result
from insync.run.cell import CellSpec
from insync.run.plan import Plan, require_agent, resolve_cells
from insync.run.request import RunRequest
from insync.run.version_support import arms_of
from insync.scenario.load import load


class Matrix(ScenarioCampaign):
    name = "matrix"

    def __init__(self, request: MatrixRequest) -> None:
        """Check the whole request; raises InputError. Writes nothing."""
        self._request = request
        builds = [find(kafka).name for kafka in request.kafka]
        for option, values in (("kafka", request.kafka), ("kafka", builds), ("only", request.only)):
            if values is not None and len(set(values)) != len(values):
                raise InputError(f"--{option}: {','.join(values)}, expected each only once")
        self._entries = {each.scenario: each for each in entries(request.only)}
        groups = min(each.group.at_once for each in self._entries.values())
        self.at_once = groups if request.at_once is None else request.at_once
        self._cells = [
            cell
            for kafka, build in zip(request.kafka, builds, strict=True)
            for entry in self._entries.values()
            for cell in _cells(request, kafka, entry, Path(build) / entry.scenario)
        ]

    def asked(self) -> Mapping[str, Any]:
        agent = require_agent([cell.arm for cell in self._cells])
        return {**asdict(self._request), "at_once": None, "agent": agent and sha256_of(agent)}

    def cells(self, done: Done) -> list[CellSpec]:  # all are known from the start
        return self._cells

    def row(self, run: Plan, folder: Path) -> MatrixRow:
        group, along = self._entries[run.scenario.name].group, None
        if group.along is not None:
            value = getattr(run.scenario.faults[0], group.along)
            along = Along(key=group.along, value=value, metrics=group.curves)
        return row_of(run, folder, group.figures, along)

    def judge(self, done: Done) -> Result:
        cells = [Cell.model_validate(each["cell"]) for each in done.values()]
        return Result(of=self.name, children=tuple(matrix_suites(cells)))

    def write(self, folder: Path, result: Result) -> None:
        """Write nothing: the analysis writes the cells and their page."""


def _cells(request: MatrixRequest, kafka: str, entry: GroupRow, out: Path) -> list[CellSpec]:
    scenario = load(entry.scenario)
    known = arms_of(kafka)
    run_request = RunRequest(
        scenario=entry.scenario, kafka=kafka, cluster=request.cluster, repeats=request.repeats,
        arms=request.arms or [arm for arm in scenario.arms if arm in known],
        scale=entry.group.scale_of(entry.scenario) if request.scale is None else request.scale,
        seed=request.seed, client=None if scenario.race is not None else request.client,
        default_timeouts=request.default_timeouts, unknown_methods=request.unknown_methods,
    )  # fmt: skip
    return resolve_cells(run_request, out)
