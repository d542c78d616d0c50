"""Writes the cells and the page of a matrix, from the analysis of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.analysis.tables.rows import Rows
from insync.analysis.verdict.decide import judge, without_run
from insync.analysis.verdict.facts import RunFacts
from insync.events.matrix_info import MatrixInfo, MatrixRow, load_matrix
from insync.events.run_info import RunInfo
from insync.events.schema import RUN
from insync.events.verdict import Cell, Verdict, write_cells
from insync.report.matrix.page import write_matrix_page
from insync.report.reproduce import environment_of
from insync.report.timeline.timelines import Timeline


@dataclass(frozen=True)
class Analysed:
    """The results of the analysis of one run folder."""

    run: RunInfo
    facts: RunFacts
    verdict: Verdict
    pictures: Sequence[Timeline]
    rows: Rows


def recorded(matrix: Path) -> list[Path]:
    """Return the folders of a matrix's runs that were started; InputError if it is not a matrix."""
    folders = load_matrix(matrix).run_folders(matrix)
    return [folder for folder in folders if (folder / RUN).is_file()]


def write_matrix(matrix: Path, found: Mapping[Path, Analysed], into: Path) -> None:
    """Write matrix.json, then matrix.md, matrix-junit.xml and matrix.html, into a folder.

    `found` holds the runs of `matrix` by their folders.
    """
    info = load_matrix(matrix)
    cells = [cell for row in info.rows for cell in _cells(row, matrix, found)]
    write_cells(into, cells)
    engines = ", ".join(sorted({each.verdict.engine for each in found.values()}))
    about = environment_of([each.run for each in found.values()], engines)
    pictures = _pictures(info, matrix, found)
    write_matrix_page(into, info, cells, about, pictures, _over_repeats(found))


def _cells(row: MatrixRow, matrix: Path, found: Mapping[Path, Analysed]) -> list[Cell]:
    of_row = found.get(matrix / row.folder)
    if of_row is None:
        return without_run(row)
    return judge(row, of_row.run, of_row.facts, of_row.verdict)


def _over_repeats(found: Mapping[Path, Analysed]) -> Rows:
    """Return the rows of the tables over all repeats, of all runs of a matrix."""
    return {
        name: [row for each in found.values() for row in each.rows[name]]
        for name in ("medians", "differences")
    }


def _pictures(
    info: MatrixInfo, matrix: Path, found: Mapping[Path, Analysed]
) -> dict[tuple[str, str], Sequence[Timeline]]:
    folders = {(row.kafka, row.scenario): matrix / row.folder for row in info.rows}
    return {key: found[folder].pictures for key, folder in folders.items() if folder in found}
