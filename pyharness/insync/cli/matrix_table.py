"""A matrix on the terminal: one table per version, scenarios by arms, and what differs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.cli.summary import COLOURS
from insync.events.matrix_info import FIGURES, PAGE
from insync.report.matrix.cells import Grid, MatrixCell, grids, outcome
from insync.report.matrix.figures import legend
from insync.report.matrix.text import figures, notes, sentence

MARKS: Final = {"pass": "", "fail": "✗ ", "unknown": "? ", "skipped": ""}


def show_matrix(cells: Sequence[MatrixCell], folder: Path, wrong: Sequence[str]) -> None:
    """Print the tables to standard error, so that standard output stays free for JSON."""
    console = Console(stderr=True, highlight=False)
    for grid in grids(cells):
        console.print(grid_table(grid))
    for line in (*notes(cells), *wrong):
        console.print(escape(line), soft_wrap=True)
    word = outcome(cells)
    console.print(f"[bold {COLOURS[word]}]{word}[/]: {sentence(cells)}", soft_wrap=True)
    console.print(f"matrix: {escape(str(folder / PAGE))}", soft_wrap=True)


def grid_table(grid: Grid) -> Table:
    """Return a version's table: in each cell its figures, marked if it is not as expected.

    Over several repeats each figure is two, and they stand below each other, as many do.
    """
    table = Table(
        title=f"Kafka {grid.kafka}: {legend(grid.figures)}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("stall", no_wrap=True)
    for arm in grid.arms:
        table.add_column(arm.replace("-", "-\n"), justify="right")
    for scenario, row in grid.rows.items():
        shown = [_cell(row[arm]) if arm in row else "" for arm in grid.arms]
        table.add_row(scenario, *shown)
    return table


def _cell(cell: MatrixCell) -> str:
    if cell.state == "skipped":
        return "[dim]skipped[/]"
    text = f"{MARKS[cell.state]}{figures(cell)}"
    # Four arms fit into 80 columns so, or seven.
    in_line = cell.once and len(cell.figures) <= len(FIGURES)
    text = text.replace(" / ", "/" if in_line else "\n")
    return text if cell.state == "pass" else f"[{COLOURS[cell.state]}]{text}[/]"
