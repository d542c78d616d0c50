"""Reads `matrix.json` and lays its cells out: a grid per Kafka version, sites by arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from insync.errors import InputError
from insync.events.matrix_info import CELLS, FIGURES
from insync.events.run_info import Bound, first_problem
from insync.report.anchors import arm_id
from insync.report.judgement import Finding

State = Literal["pass", "fail", "unknown", "skipped"]
RANK: tuple[State, ...] = ("fail", "unknown", "pass")
"""What a matrix is as a whole is the first of these that any cell is."""


class Bursts(BaseModel):
    """Bursts of one size in all repeats of a cell, and the healthy followers that left for them."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    records: int
    bursts: int
    false_alarms: int


class MatrixCell(BaseModel):
    """One cell of the file, as far as it is shown; lists hold one value per repeat."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    scenario: str
    arm: str
    kafka: str
    expected: Mapping[str, Bound]
    differs: str | None
    unknown: str | None
    skipped: str | None
    report: str | None
    repeats: int
    figures: Sequence[str] = FIGURES
    isr_shrinks: Sequence[float | None]
    under_min_isr_ms: Sequence[float | None]
    max_ack_gap_ms: Sequence[float | None]
    offline_ms: Sequence[float | None] = ()
    dead_follower_dropped_ms: Sequence[float | None] = ()
    leader_changes: Sequence[float | None] = ()
    false_alarms: Sequence[float | None] = ()
    detected_ms: Sequence[float | None] = ()
    fetchers_lost: Sequence[float | None] = ()
    partitions_failed: Sequence[float | None] = ()
    partitions_behind: Sequence[float | None] = ()
    start_above_end: Sequence[float | None] = ()
    start_above_watermark: Sequence[float | None] = ()
    starts_put_right: Sequence[float | None] = ()
    bursts: Sequence[Bursts] = ()
    findings: Sequence[Finding] = ()

    def values(self, metric: str) -> Sequence[float | None]:
        """Return a metric that may be shown, a value per repeat."""
        found: Sequence[float | None] = getattr(self, metric)
        return found

    @property
    def state(self) -> State:
        """How the cell is judged."""
        if self.skipped is not None:
            return "skipped"
        if self.differs is not None:
            return "fail"
        return "pass" if self.unknown is None else "unknown"

    @property
    def reason(self) -> str:
        """Why it is not as expected, without the arm's name, or empty."""
        said = self.skipped or self.differs or self.unknown or ""
        return said.removeprefix(f"{self.arm}, ").removeprefix("repeat 0: " if self.once else "")

    @property
    def link(self) -> str | None:
        """Where the run's report tells of the cell's arm; None where there was no run."""
        return f"{self.report}#{arm_id(self.arm)}" if self.report and self.repeats else None

    @property
    def once(self) -> bool:
        """Whether there was but one repeat."""
        return self.repeats == 1


@dataclass(frozen=True)
class Figure:
    """A metric over the repeats of a cell: the worst and the typical value; None: not known."""

    worst: float | None
    typical: float | None


@dataclass(frozen=True)
class Grid:
    """A table: `rows` are scenarios in order, each with its cells by arm.

    Of one version, and of scenarios whose cells show the same `figures`.
    """

    kafka: str
    figures: Sequence[str]
    arms: Sequence[str]
    rows: Mapping[str, Mapping[str, MatrixCell]]


def read_cells(folder: Path) -> list[MatrixCell]:
    """Read `folder/matrix.json`; raises InputError if it is missing or not one."""
    path = folder / CELLS
    try:
        return TypeAdapter(list[MatrixCell]).validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}, expected the cells of a matrix") from None
    except ValidationError as error:
        raise InputError(f"{path}: {first_problem(error)}") from None


def grids(cells: Sequence[MatrixCell]) -> list[Grid]:
    """Lay the cells out, versions, scenarios and arms in the order of their first cell."""
    found = []
    for kafka, figures in dict.fromkeys((cell.kafka, tuple(cell.figures)) for cell in cells):
        own = [cell for cell in cells if (cell.kafka, tuple(cell.figures)) == (kafka, figures)]
        rows: dict[str, dict[str, MatrixCell]] = {}
        for cell in own:
            rows.setdefault(cell.scenario, {})[cell.arm] = cell
        found.append(Grid(kafka, figures, list(dict.fromkeys(cell.arm for cell in own)), rows))
    return found


def outcome(cells: Sequence[MatrixCell]) -> State:
    """Return what the whole matrix is; one in which nothing ran is unknown."""
    states = {cell.state for cell in cells}
    return next((state for state in RANK if state in states), "unknown")


def figure(values: Sequence[float | None]) -> Figure:
    """Return the worst (largest) and the typical (median) of the values that are known."""
    known = [value for value in values if value is not None]
    return Figure(max(known), median(known)) if known else Figure(None, None)
