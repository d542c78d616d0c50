"""Writes `matrix.html`: scenarios by arms, each cell with a small picture of its ISR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from insync.events.matrix_info import PAGE, RESULTS, TEXT, MatrixInfo
from insync.events.verdict import Cell
from insync.events.writer import write_atomic
from insync.metrics import METRICS
from insync.report.headline import finding, of_matrix
from insync.report.junit import as_xml, matrix_suites
from insync.report.matrix.cells import (
    Grid,
    full,
    grids,
    known_values,
    markdown,
    outcome,
    sentence,
    wanted,
    written,
)
from insync.report.matrix.curves import HEIGHT as CURVES_HEIGHT
from insync.report.matrix.curves import WIDTH as CURVES_WIDTH
from insync.report.matrix.curves import curves_of
from insync.report.page import says
from insync.report.render import asset, environment, smallest_enough
from insync.report.reproduce import Facts
from insync.report.statistics import statistics_tables
from insync.report.timeline import lanes
from insync.report.timeline.timelines import STATE_NAMES, Rows, Timeline
from insync.report.words import cell_id, link_to, listed

Key = tuple[str, str]
"""A Kafka version and a scenario."""


def write_matrix_page(
    folder: Path,
    matrix: MatrixInfo,
    cells: Sequence[Cell],
    about: Facts,
    pictures: Mapping[Key, Sequence[Timeline]],
    over_repeats: Rows,
) -> Path:
    """Write the page, the Markdown table and the test results of the cells of a matrix.

    Returns the page's path. `about` lists the environment of the runs, `pictures` has their
    timelines, and `over_repeats` the rows of the tables over all repeats.
    """
    write_atomic(folder / TEXT, markdown(cells))
    write_atomic(folder / RESULTS, as_xml("insync matrix", matrix_suites(cells)))
    return write_atomic(folder / PAGE, render_matrix(matrix, cells, pictures, about, over_repeats))


def render_matrix(
    matrix: MatrixInfo,
    cells: Sequence[Cell],
    pictures: Mapping[Key, Sequence[Timeline]],
    about: Facts,
    over_repeats: Rows,
) -> str:
    """Return the whole page as text, with as many pictures as fit; `about` is the environment."""
    summaries = {(row.kafka, row.scenario): row.summary for row in matrix.rows}
    versions = list(dict.fromkeys(cell.kafka for cell in cells))
    medians = over_repeats.get("medians", ())
    shown = {
        "outcome": outcome(cells),
        "badge": (outcome(cells).mark, sentence(cells)),
        "headline": finding(of_matrix(cells), "scenarios"),
        "versions": listed(versions),
        "several": len(versions) > 1,
        "notes": [
            (cell_id(cell.kafka, cell.scenario, cell.arm), cell)
            for cell in cells
            if cell.outcome.is_problem
        ],
        "environment": about,
        "command": matrix.command,
        "cell_id": cell_id,
        "link_to": link_to,
        "wanted": wanted,
        "arms": _arms(cells),
        "repeated": any(cell.repeats > 1 for cell in cells),
        "over_repeats": statistics_tables(
            over_repeats, {metric for cell in cells for metric in cell.figures}
        ),
        "curves_size": (CURVES_WIDTH, CURVES_HEIGHT),
        "states": list(STATE_NAMES.items()),
        "lanes": lanes,
        "style": asset("page.css") + asset("matrix.css"),
    }
    template = environment().get_template("matrix.html.j2")
    return smallest_enough(
        template.render(
            **shown,
            undrawn=len(pictures) - len(drawn),
            tables=[
                (grid, curves_of(grid, matrix.rows, medians), _rows(grid, summaries, drawn))
                for grid in grids(cells)
            ],
        )
        for drawn in _levels(cells, pictures)
    )


def _levels(
    cells: Sequence[Cell], pictures: Mapping[Key, Sequence[Timeline]]
) -> Iterator[Mapping[Key, Sequence[Timeline]]]:
    """Yield all pictures, then fewer; rows with a cell that is not as expected keep theirs."""
    odd = {(cell.kafka, cell.scenario) for cell in cells if cell.outcome.is_problem}
    keys = sorted(pictures, key=lambda key: key not in odd)
    for share in (1.0, 0.75, 0.5, 0.25, 0.1, 0.0):
        kept = keys[: round(len(keys) * share)]
        yield {key: pictures[key] for key in kept}


def _arms(cells: Sequence[Cell]) -> list[dict[str, str]]:
    names = dict.fromkeys(cell.arm for cell in cells)
    return [{"name": name, "says": says(name)} for name in names]


def _rows(
    grid: Grid, summaries: Mapping[Key, str], pictures: Mapping[Key, Sequence[Timeline]]
) -> list[Mapping[str, object]]:
    """Return what the template shows of the scenarios of a table."""
    cells = [cell for row in grid.rows.values() for cell in row.values()]
    widest = {
        metric: max(
            (value for cell in cells for value in known_values(cell, metric)[:1]), default=0
        )
        for metric in grid.figures
    }
    rows: list[Mapping[str, object]] = []
    for scenario, row in grid.rows.items():
        key = (grid.kafka, scenario)
        drawn = _drawn(pictures.get(key, ()), row)
        # Few scenarios have a dead follower.
        metrics = [n for n in grid.figures if any(known_values(cell, n) for cell in row.values())]
        shown = [
            (row[arm], drawn.get(arm), [_line(row[arm], name, widest[name]) for name in metrics])
            if arm in row
            else None
            for arm in grid.arms
        ]
        rows.append({"name": scenario, "summary": summaries.get(key, ""), "cells": shown})
    return rows


def _drawn(timelines: Sequence[Timeline], row: Mapping[str, Cell]) -> dict[str, lanes.SmallPicture]:
    """Draw the worst repeat of each arm, all on one time axis."""
    worst = []
    for arm, cell in row.items():
        own = {timeline.repeat: timeline for timeline in timelines if timeline.arm == arm}
        if own:
            worst.append(max(own.values(), key=lambda timeline: _badness(cell, timeline.repeat)))
    return {cell.arm: cell for cell in lanes.cells(worst)}


def _badness(cell: Cell, repeat: int) -> tuple[float, float]:
    both = (cell.values("isr_shrinks"), cell.values("under_min_isr_ms"))
    shrinks, under = (values[repeat] if repeat < len(values) else 0 for values in both)
    return shrinks or 0, under or 0


def _line(cell: Cell, metric: str, widest: float) -> Mapping[str, object]:
    """Return one figure of a cell; `share` is of the table's largest, None for a count."""
    of, worst = METRICS[metric], next(iter(known_values(cell, metric)), 0)
    return {
        "name": of.cell or of.label,
        "text": written(cell, metric, full),
        "share": worst / (widest or 1) if of.is_time else None,
        "stands_out": of.stands_out and bool(worst),
    }
