"""Arranges the cells of a matrix: a grid per Kafka version, scenarios by arms; sums them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from insync.events.verdict import Cell
from insync.metrics import METRICS
from insync.outcome import Outcome, worst


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
    rows: Mapping[str, Mapping[str, Cell]]


def figure(cell: Cell, metric: str) -> Figure:
    """Return the worst and the median of the known values of a metric."""
    known = [value for value in cell.values(metric) if value is not None]
    if not known:
        return Figure(None, None)
    pick = min if METRICS[metric].better == "higher" else max
    return Figure(pick(known), median(known))


def grids(cells: Sequence[Cell]) -> list[Grid]:
    """Arrange the cells; versions, scenarios and arms are in the order of their first cell."""
    found = []
    for kafka, figures in dict.fromkeys((cell.kafka, tuple(cell.figures)) for cell in cells):
        own = [cell for cell in cells if (cell.kafka, tuple(cell.figures)) == (kafka, figures)]
        rows: dict[str, dict[str, Cell]] = {}
        for cell in own:
            rows.setdefault(cell.scenario, {})[cell.arm] = cell
        found.append(Grid(kafka, figures, list(dict.fromkeys(cell.arm for cell in own)), rows))
    return found


def outcome(cells: Sequence[Cell]) -> Outcome:
    """Return the outcome of the whole matrix.

    It passes if every cell that is judged is as expected, and enough is judged (`lacks`).
    """
    found = [cell.outcome for cell in cells]
    return worst([*found, Outcome.UNKNOWN] if lacks(cells) else found)


def judged(cells: Sequence[Cell]) -> int:
    """Return of how many cells it is known whether they are as expected."""
    return sum(cell.outcome.is_judged for cell in cells)


def lacks(cells: Sequence[Cell]) -> list[str]:
    """Say what a matrix lacks to pass: arms that were not run, and cells that could be judged.

    Cells are judged alone, so that what is missing makes none of them unknown.
    """
    found = dict.fromkeys(cell.not_run for cell in cells if cell.not_run)
    versions = len({cell.kafka for cell in cells}) > 1
    of_arm: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        of_arm.setdefault((cell.kafka, cell.arm), []).append(cell)
    without = [
        f"{arm} on Kafka {kafka}" if versions else arm
        for (kafka, arm), own in of_arm.items()
        if not judged(own)
    ]
    skipped = sum(cell.outcome == Outcome.SKIPPED for cell in cells)
    return [
        *map(str, found),
        *([f"no cell of {', '.join(without)} could be judged"] if without else []),
        *(["more cells were skipped than judged"] if skipped > judged(cells) else []),
    ]
