"""Reads `matrix.json` and arranges its cells: a grid per Kafka version, scenarios by arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from pydantic import model_validator

from insync import metrics as registry
from insync.events.matrix_info import CELLS
from insync.events.run_info import Bound, Recorded, read_recorded
from insync.metrics import DEFAULT_FIGURES
from insync.nodes import repeat_words
from insync.outcome import Outcome, worst
from insync.report.anchors import arm_id
from insync.report.judgement import Finding


class MatrixCell(Recorded):
    """One cell of the file, as far as it is shown; `metrics` hold one value per repeat."""

    scenario: str
    arm: str
    kafka: str
    expected: Mapping[str, Bound]
    differs: str | None
    unknown: str | None
    observed: str | None = None
    not_run: str | None = None
    skipped: str | None
    report: str | None
    repeats: int
    figures: Sequence[str] = DEFAULT_FIGURES
    metrics: Mapping[str, Sequence[float | None]]
    findings: Sequence[Finding] = ()

    @model_validator(mode="before")
    @classmethod
    def _gather_metrics(cls, keys: Any) -> Any:
        """Gather the metrics, which are keys of their own in the file."""
        if not isinstance(keys, dict):
            return keys
        own = {name: keys[name] for name in registry.of_verdict() if name in keys}
        return {**keys, "metrics": own}

    def values(self, metric: str) -> Sequence[float | None]:
        """Return a metric, one value per repeat; none of a cell that was skipped."""
        return self.metrics.get(metric, ())

    def figure(self, metric: str) -> Figure:
        """Return the worst and the median of the known values of a metric."""
        known = [value for value in self.values(metric) if value is not None]
        if not known:
            return Figure(None, None)
        worst = min if registry.METRICS[metric].better == "higher" else max
        return Figure(worst(known), median(known))

    @property
    def state(self) -> Outcome:
        """The outcome of the cell."""
        if self.skipped is not None:
            return Outcome.SKIPPED
        if self.differs is not None:
            return Outcome.FAIL
        if self.unknown is not None:
            return Outcome.UNKNOWN
        return Outcome.PASS if self.observed is None else Outcome.OBSERVED

    @property
    def reason(self) -> str:
        """Why the cell is not as expected, without the arm's name; empty if it is."""
        message = self.skipped or self.differs or self.unknown or self.observed or ""
        only = f"{repeat_words(0)}: " if self.once else ""
        return message.removeprefix(f"{self.arm}, ").removeprefix(only)

    @property
    def link(self) -> str | None:
        """The place of the cell's arm in the run's report; None if there was no run."""
        return f"{self.report}#{arm_id(self.arm)}" if self.report and self.repeats else None

    @property
    def once(self) -> bool:
        """Whether there was only one repeat."""
        return self.repeats == 1


@dataclass(frozen=True)
class Figure:
    """A metric over the repeats of a cell: the worst and the median value; None: not known."""

    worst: float | None
    typical: float | None


@dataclass(frozen=True)
class Grid:
    """A table of one version, for scenarios whose cells show the same `figures`.

    `rows` are the scenarios in order, each with its cells by arm.
    """

    kafka: str
    figures: Sequence[str]
    arms: Sequence[str]
    rows: Mapping[str, Mapping[str, MatrixCell]]


def read_cells(folder: Path) -> list[MatrixCell]:
    """Read `folder/matrix.json`; raises InputError if it is missing or not one."""
    return read_recorded(list[MatrixCell], folder, CELLS, "a matrix folder with cells")


def grids(cells: Sequence[MatrixCell]) -> list[Grid]:
    """Arrange the cells; versions, scenarios and arms are in the order of their first cell."""
    found = []
    for kafka, figures in dict.fromkeys((cell.kafka, tuple(cell.figures)) for cell in cells):
        own = [cell for cell in cells if (cell.kafka, tuple(cell.figures)) == (kafka, figures)]
        rows: dict[str, dict[str, MatrixCell]] = {}
        for cell in own:
            rows.setdefault(cell.scenario, {})[cell.arm] = cell
        found.append(Grid(kafka, figures, list(dict.fromkeys(cell.arm for cell in own)), rows))
    return found


def outcome(cells: Sequence[MatrixCell]) -> Outcome:
    """Return the outcome of the whole matrix.

    It passes if every cell that is judged is as expected, and enough is judged (`lacks`).
    """
    found = [cell.state for cell in cells]
    return worst([*found, Outcome.UNKNOWN] if lacks(cells) else found)


def judged(cells: Sequence[MatrixCell]) -> int:
    """Return of how many cells it is known whether they are as expected."""
    return sum(cell.state.is_judged for cell in cells)


def lacks(cells: Sequence[MatrixCell]) -> list[str]:
    """Say what a matrix lacks to pass: arms that were not run, and cells that could be judged.

    Cells are judged alone, so that what is missing makes none of them unknown.
    """
    found = dict.fromkeys(cell.not_run for cell in cells if cell.not_run)
    versions = len({cell.kafka for cell in cells}) > 1
    of_arm: dict[tuple[str, str], list[MatrixCell]] = {}
    for cell in cells:
        of_arm.setdefault((cell.kafka, cell.arm), []).append(cell)
    without = [
        f"{arm} on Kafka {kafka}" if versions else arm
        for (kafka, arm), own in of_arm.items()
        if not judged(own)
    ]
    skipped = sum(cell.state == Outcome.SKIPPED for cell in cells)
    return [
        *map(str, found),
        *([f"no cell of {', '.join(without)} could be judged"] if without else []),
        *(["more cells were skipped than judged"] if skipped > judged(cells) else []),
    ]
