"""Writes a matrix as text: figures of a cell, the summary, the table as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from insync.events.run_info import Bound
from insync.events.verdict import Cell
from insync.metrics import METRICS
from insync.outcome import Outcome
from insync.report.matrix.cells import Grid, figure, grids, judged, lacks, outcome
from insync.report.words import span

_UNKNOWN_FIGURE = "-"


def legend(metrics: Sequence[str]) -> str:
    """Name the figures of a cell, in their order."""
    known = (METRICS[metric] for metric in metrics)
    return " / ".join(f"{each.label} in seconds" if each.is_time else each.label for each in known)


def brief(metric: str, value: float) -> str:
    """Write a value where the legend names the unit: times in seconds."""
    return f"{value / 1e3:.1f}" if METRICS[metric].is_time else f"{value:g}"


def full(metric: str, value: float) -> str:
    """Write a value with its unit."""
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
    found: dict[tuple[str, str, str], list[str]] = {}
    for cell in cells:
        if cell.outcome != Outcome.PASS:
            key = (cell.kafka, cell.scenario, f"{cell.outcome}: {cell.reason}")
            found.setdefault(key, []).append(cell.arm)
    several = len({cell.kafka for cell in cells}) > 1
    return [
        f"{f'{kafka} ' if several else ''}{scenario}, {', '.join(arms)}: {why}"
        for (kafka, scenario, why), arms in found.items()
    ]


def markdown(cells: Sequence[Cell]) -> str:
    """Return the tables as Markdown, one per version, each with its legend and its notes."""
    parts = [_version(grid) for grid in grids(cells)]
    return "\n".join([*parts, f"{outcome(cells)}: {sentence(cells)}.", ""])


def _bound(metric: str, bound: Bound) -> str:
    known = METRICS[metric]
    return f"{known.cell or known.label} {bound.written(partial(full, metric))}"


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
    found = figure(cell, metric)
    if found.worst is None or found.typical is None:
        return _UNKNOWN_FIGURE
    typical = "" if cell.once else f" ({write(metric, found.typical)})"
    return f"{write(metric, found.worst)}{typical}"
