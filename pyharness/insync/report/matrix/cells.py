"""Arranges the cells of a matrix: a grid per Kafka version, scenarios by arms; sums them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from insync.events.run_info import Bound
from insync.events.verdict import Cell
from insync.lists import grouped
from insync.metrics import METRICS
from insync.outcome import Outcome, worst
from insync.report.words import span


@dataclass(frozen=True)
class Grid:
    """A table of one version, for scenarios whose cells show the same `figures`.

    `rows` are the scenarios in order, each with its cells by arm.
    """

    kafka: str
    figures: Sequence[str]
    arms: Sequence[str]
    rows: Mapping[str, Mapping[str, Cell]]


def known_values(cell: Cell, metric: str) -> list[float]:
    """Return the known values of a metric over the repeats of a cell, the worst first."""
    found = (value for value in cell.values(metric) if value is not None)
    return sorted(found, reverse=METRICS[metric].better != "higher")


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
    of_arm = grouped(cells, lambda cell: (cell.kafka, cell.arm))
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


_UNKNOWN_FIGURE = "-"


def legend(metrics: Sequence[str]) -> str:
    named = (METRICS[metric] for metric in metrics)
    return " / ".join(f"{each.label} in seconds" if each.is_time else each.label for each in named)


def brief(metric: str, value: float) -> str:
    """Write a value where the legend names the unit: times in seconds."""
    return f"{value / 1e3:.1f}" if METRICS[metric].is_time else f"{value:g}"


def full(metric: str, value: float) -> str:
    return span(value) if METRICS[metric].is_time else f"{value:g}"


def figures(cell: Cell) -> str:
    """Write the figures of a cell; of several repeats the worst, then the median."""
    return " / ".join(written(cell, metric, brief) for metric in cell.figures)


def wanted(cell: Cell) -> str:
    """Write what was expected of the arm; empty if nothing was."""
    return ", ".join(_bound(metric, bound) for metric, bound in cell.expected.items())


def sentence(cells: Sequence[Cell]) -> str:
    """Count the cells by outcome, say how many were judged, and what the matrix lacks to pass."""
    counts = Counter(cell.outcome for cell in cells)
    ran = len(cells) - counts[Outcome.SKIPPED]
    found = [f"{counts[Outcome.PASS]} of {ran} cells are as expected"]
    found += [
        f"{counts[state]} {words}"
        for state, words in (
            (Outcome.FAIL, "fail"), (Outcome.UNKNOWN, "prove nothing"),
            (Outcome.OBSERVED, "were only observed"),
        )
        if counts[state]
    ]  # fmt: skip
    parts = [", ".join(found)]
    if judged(cells) < len(cells):
        parts.append(
            f"{judged(cells)} of {len(cells)} cells judged, {counts[Outcome.SKIPPED]} skipped"
        )
    return "; ".join([*parts, *lacks(cells)])


def notes(cells: Sequence[Cell]) -> list[str]:
    """Say why each cell is not as expected; arms with the same reason share a line."""
    wrong = (cell for cell in cells if cell.outcome != Outcome.PASS)
    alike = grouped(wrong, lambda cell: (cell.kafka, cell.scenario, cell.outcome, cell.reason))
    lines = {key: ", ".join(cell.arm for cell in own) for key, own in alike.items()}
    several = len({cell.kafka for cell in cells}) > 1
    return [
        f"{f'{kafka} ' if several else ''}{scenario}, {arms}: {outcome}: {why}"
        for (kafka, scenario, outcome, why), arms in lines.items()
    ]


def markdown(cells: Sequence[Cell]) -> str:
    """Return the tables as Markdown, one per version, each with its legend and its notes."""
    parts = [_version(grid) for grid in grids(cells)]
    return "\n".join([*parts, f"{outcome(cells)}: {sentence(cells)}.", ""])


def _bound(metric: str, bound: Bound) -> str:
    of = METRICS[metric]
    return f"{of.cell or of.label} {bound.written(partial(full, metric))}"


def _version(grid: Grid) -> str:
    cells = [cell for row in grid.rows.values() for cell in row.values()]
    repeated = not all(cell.once or not cell.repeats for cell in cells)
    lines = [
        f"Kafka {grid.kafka}: {legend(grid.figures)}"
        + (", each of the worst repeat (and the median)." if repeated else "."),
        "",
        f"| scenario | {' | '.join(grid.arms)} |",
        f"|---|{'---|' * len(grid.arms)}",
    ]
    for scenario, row in grid.rows.items():
        shown = (_cell(row[arm]) if arm in row else "" for arm in grid.arms)
        lines.append(f"| `{scenario}` | {' | '.join(shown)} |")
    listed = [f"- {note}" for note in notes(cells)]
    return "\n".join([*lines, "", *listed, *([""] if listed else []), ""])


def _cell(cell: Cell) -> str:
    if cell.outcome == Outcome.SKIPPED:
        return "skipped"
    return ("" if cell.outcome == Outcome.PASS else f"{cell.outcome.mark}: ") + figures(cell)


def written(cell: Cell, metric: str, write: Callable[[str, float], str]) -> str:
    """Write one figure of a cell with `write`; of several repeats the worst, then the median."""
    found = known_values(cell, metric)
    if not found:
        return _UNKNOWN_FIGURE
    typical = "" if cell.once else f" ({write(metric, median(found))})"
    return f"{write(metric, found[0])}{typical}"
