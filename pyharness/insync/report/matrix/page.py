"""`matrix.html` and `matrix.md`: sites by arms, each cell with a small picture of its ISR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.events.matrix_info import PAGE, RESULTS, TEXT, MatrixInfo
from insync.events.run_info import RunInfo, load_run
from insync.events.schema import RUN
from insync.events.writer import write_atomic
from insync.report.anchors import cell_id
from insync.report.environment import environment_of
from insync.report.junit import as_xml, matrix_suites
from insync.report.matrix.cells import Figure, Grid, MatrixCell, figure, grids, outcome, read_cells
from insync.report.matrix.figures import SHOWN
from insync.report.matrix.text import markdown, sentence, wanted
from insync.report.policies.lanes import STANDINGS
from insync.report.policies.picture import PolicyPicture, draw
from insync.report.policies.story import is_told
from insync.report.policies.text import policy_table
from insync.report.render import asset, environment
from insync.report.reproduce import matrix_command
from insync.report.tabular import Table
from insync.report.timeline import lanes
from insync.report.timeline.lane_bars import STATE_NAMES
from insync.report.timeline.scenes import STATES, Scene

Key = tuple[str, str]
"""A Kafka version and a scenario."""

HEADLINES = {
    "pass": "Pass: every cell is as expected",
    "fail": "Fail: some cells differ from what was expected",
    "unknown": "Unknown: some cells prove nothing either way",
}


@dataclass(frozen=True)
class Line:
    """A figure of a cell; `share` (0 to 1) is of the widest of its table, None for a count."""

    name: str
    text: str
    share: float | None
    stands_out: bool


@dataclass(frozen=True)
class Shown:
    """A cell as the page shows it; `place` is its name in the page."""

    cell: MatrixCell
    place: str
    picture: lanes.Cell | None
    lines: Sequence[Line]
    wanted: str


@dataclass(frozen=True)
class Row:
    """A scenario's cells in the order of the arms; None where an arm was not run."""

    name: str
    summary: str
    cells: Sequence[Shown | None]


@dataclass(frozen=True)
class Story:
    """What a version's cells say of lag policies, as a picture and as a table."""

    picture: PolicyPicture
    table: Table


def write_matrix_page(
    folder: Path, matrix: MatrixInfo, pictures: Mapping[Key, Sequence[Scene]]
) -> Path:
    """Write the page, its table and its results from `folder/matrix.json`; return the page's path.

    `pictures` are the scenes of each run that there was.
    """
    cells = read_cells(folder)
    write_atomic(folder / TEXT, markdown(cells))
    write_atomic(folder / RESULTS, as_xml("insync matrix", matrix_suites(cells)))
    folders = (path for path in matrix.run_folders(folder) if (path / RUN).is_file())
    runs = [load_run(path) for path in folders]
    return write_atomic(folder / PAGE, render_matrix(matrix, cells, pictures, runs))


def render_matrix(
    matrix: MatrixInfo,
    cells: Sequence[MatrixCell],
    pictures: Mapping[Key, Sequence[Scene]],
    runs: Sequence[RunInfo],
) -> str:
    """Return the whole page as text; `runs` are those that were begun."""
    summaries = {(row.kafka, row.scenario): row.summary for row in matrix.rows}
    found = outcome(cells)
    return (
        environment()
        .get_template("matrix.html.j2")
        .render(
            outcome=found,
            headline=HEADLINES[found],
            sentence=sentence(cells),
            notes=[
                (cell_id(cell.kafka, cell.scenario, cell.arm), cell)
                for cell in cells
                if cell.state in ("fail", "unknown")
            ],
            environment=environment_of(runs),
            command=None if matrix.asked is None else matrix_command(matrix.asked),
            cell_id=cell_id,
            repeated=any(cell.repeats > 1 for cell in cells),
            tables=[
                (grid, _story(grid, pictures), _rows(grid, summaries, pictures))
                for grid in grids(cells)
            ],
            standings=STANDINGS,
            states=[(state, STATE_NAMES[state]) for state in STATES],
            lanes=lanes,
            style=asset("page.css") + asset("matrix.css"),
        )
    )


def _story(grid: Grid, pictures: Mapping[Key, Sequence[Scene]]) -> Story | None:
    """Return what a version's cells say of lag policies; None where they compare none."""
    if not is_told([cell for row in grid.rows.values() for cell in row.values()]):
        return None
    own = {
        scenario: scenes for (kafka, scenario), scenes in pictures.items() if kafka == grid.kafka
    }
    return Story(draw(grid, own), policy_table(grid))


def _rows(
    grid: Grid, summaries: Mapping[Key, str], pictures: Mapping[Key, Sequence[Scene]]
) -> list[Row]:
    cells = [cell for row in grid.rows.values() for cell in row.values()]
    widest = {
        metric: max((figure(cell.values(metric)).worst or 0 for cell in cells), default=0)
        for metric in grid.figures
    }
    rows = []
    for scenario, row in grid.rows.items():
        key = (grid.kafka, scenario)
        drawn = _drawn(pictures.get(key, ()), row)
        metrics = [name for name in grid.figures if _is_known(name, row)]
        shown = [
            _shown(row[arm], drawn.get(arm), metrics, widest) if arm in row else None
            for arm in grid.arms
        ]
        rows.append(Row(scenario, summaries.get(key, ""), shown))
    return rows


def _is_known(metric: str, row: Mapping[str, MatrixCell]) -> bool:
    """Whether any cell of a row has a metric: a dead follower is in few scenarios."""
    return any(figure(cell.values(metric)).worst is not None for cell in row.values())


def _drawn(scenes: Sequence[Scene], row: Mapping[str, MatrixCell]) -> dict[str, lanes.Cell]:
    """Draw of each arm the repeat that fared worst, all on one time axis."""
    worst = []
    for arm, cell in row.items():
        own = {scene.repeat: scene for scene in scenes if scene.arm == arm}
        if own:
            worst.append(max(own.values(), key=lambda scene: _badness(cell, scene.repeat)))
    return {cell.arm: cell for cell in lanes.cells(worst)}


def _badness(cell: MatrixCell, repeat: int) -> tuple[float, float]:
    metrics = (cell.isr_shrinks, cell.under_min_isr_ms)
    shrinks, under = (values[repeat] if repeat < len(values) else 0 for values in metrics)
    return shrinks or 0, under or 0


def _shown(
    cell: MatrixCell,
    picture: lanes.Cell | None,
    metrics: Sequence[str],
    widest: Mapping[str, float],
) -> Shown:
    lines = [_line(cell, metric, widest[metric]) for metric in metrics]
    place = cell_id(cell.kafka, cell.scenario, cell.arm)
    return Shown(cell, place, picture, lines, wanted(cell))


def _line(cell: MatrixCell, metric: str, widest: float) -> Line:
    how, found = SHOWN[metric], figure(cell.values(metric))
    return Line(
        name=how.name,
        text=_text(found, how.full, once=cell.once),
        share=(found.worst or 0) / (widest or 1) if how.time else None,
        stands_out=how.stands_out and bool(found.worst),
    )


def _text(found: Figure, write: Callable[[float], str], *, once: bool) -> str:
    if found.worst is None or found.typical is None:
        return "-"
    return write(found.worst) if once else f"{write(found.worst)} ({write(found.typical)})"
