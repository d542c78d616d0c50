"""Finish `run`, `matrix` and `report`: analyse, print the verdict, choose the exit code."""

import json
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final

from insync.cli.broker_data import settle, settle_matrix
from insync.cli.progress import TerminalProgress
from insync.cli.results import results_console, show_matrix, show_verdict
from insync.cli.statistics import show_statistics
from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import CELLS, PLAN, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN
from insync.past.find import LEVELS, find_results
from insync.report.judgement import Judgement, Outcome
from insync.report.matrix.cells import outcome, read_cells
from insync.run.analysis import analyse, analyse_matrix

EXIT_CODES: Final = {"fail": 1, "unknown": 3, "pass": 0}
"""Worst first."""


def analyse_and_show(
    folders: Sequence[Path], analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse run folders, print each verdict as text or JSON, return the worst exit code.

    The JSON document is the verdict, or an array of verdicts for several folders.
    """
    verdicts = _runs(folders, analysis, progress, as_json=as_json)
    if as_json:
        _print_json(verdicts)
    return _worst({verdict["verdict"] for verdict in verdicts})


def analyse_and_show_matrix(
    matrix: Path,
    analysis: AnalysisOptions,
    progress: TerminalProgress,
    *,
    wrong: Sequence[str],
    as_json: bool,
) -> int:
    """Analyse all runs of a matrix, print its table or its cells as JSON, return the exit code.

    `wrong` lists the failures of whole arms; they are printed below the table.
    """
    word = _matrix(matrix, analysis, progress, wrong=wrong, as_json=as_json)
    if as_json:
        print((matrix / CELLS).read_text(encoding="utf-8"), end="")
    return EXIT_CODES[word]


def analyse_and_show_found(
    parent: Path, analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse the runs and matrices below a folder, and print all; return the worst exit code.

    What cannot be analysed is named on standard error, and counts as unknown. The JSON document
    is an array of verdicts and of the matrices' lists of cells, or the only one of them. Raises
    InputError if there is none.
    """
    found = find_results(parent)
    if not found.runs and not found.matrices:
        raise InputError(
            f"{parent}: not a run folder, expected {RUN} or {PLAN} in it or up to {LEVELS} folders"
            " below"
        )
    words, documents = set(), list[Any]()
    usable = [folder for folder in found.runs if _is_usable(folder)]
    if len(usable) < len(found.runs):
        words.add("unknown")
    if usable:
        verdicts = _runs(usable, analysis, progress, as_json=as_json)
        words |= {verdict["verdict"] for verdict in verdicts}
        documents += verdicts
    for matrix in found.matrices:
        try:
            words.add(_matrix(matrix, analysis, progress, wrong=(), as_json=as_json))
            documents.append(json.loads((matrix / CELLS).read_text(encoding="utf-8")))
        except InsyncError as error:
            print(f"insync: {error}", file=sys.stderr)
            words.add("unknown")
    if as_json:
        _print_json(documents)
    return _worst(words)


def _is_usable(folder: Path) -> bool:
    """Whether a run can be read; if not, say why on standard error."""
    try:
        load_run(folder)
    except InputError as error:
        print(f"insync: {error}", file=sys.stderr)
        return False
    return True


def _runs(
    folders: Sequence[Path], analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> list[dict[str, Any]]:
    """Analyse run folders, print each verdict as text, return the verdicts."""
    verdicts = analyse(folders, analysis, progress)
    progress.stop()
    console = results_console(as_json=as_json)
    for folder, verdict in zip(folders, verdicts, strict=True):
        show_verdict(console, verdict, folder, _kept_of_run(folder, verdict))
        if any(arm["repeats"] > 1 for arm in verdict["arms"].values()):
            show_statistics(console, folder)
    return verdicts


def _kept_of_run(folder: Path, verdict: dict[str, Any]) -> list[Path]:
    """Remove the data of brokers that no finding of a run needs; return where some is kept."""
    needed = Judgement.model_validate(verdict).explained_by_data
    return settle(folder, load_run(folder), needed)


def _matrix(
    matrix: Path,
    analysis: AnalysisOptions,
    progress: TerminalProgress,
    *,
    wrong: Sequence[str],
    as_json: bool,
) -> Outcome:
    """Analyse a matrix, print its table, return its outcome."""
    analyse_matrix(matrix, analysis, progress)
    progress.stop()
    cells = read_cells(matrix)
    console = results_console(as_json=as_json)
    runs = [
        load_run(each) for each in load_matrix(matrix).run_folders(matrix) if (each / RUN).is_file()
    ]
    needed = {(cell.kafka, cell.arm) for cell in cells if cell.state in ("fail", "unknown")}
    show_matrix(console, cells, matrix, wrong, settle_matrix(matrix, runs, needed))
    if any(cell.repeats > 1 for cell in cells):
        show_statistics(console, matrix, {metric for cell in cells for metric in cell.figures})
    return outcome(cells)


def _print_json(documents: Sequence[Any]) -> None:
    """Print the only document, or all of them as an array."""
    json.dump(documents if len(documents) != 1 else documents[0], sys.stdout, indent=2)
    print()


def _worst(words: Collection[str]) -> int:
    """Return the exit code of the worst verdict."""
    return next((code for word, code in EXIT_CODES.items() if word in words), EXIT_CODES["unknown"])


def show_recorded(folder: Path, progress: TerminalProgress, *, as_json: bool) -> int:
    """Print where a run was recorded that is not analysed yet; return the exit code."""
    progress.stop()
    out = sys.stderr if as_json else sys.stdout
    print(f"recorded, not analysed yet: insync report {folder}", file=out)
    if as_json:
        json.dump({"recorded": str(folder)}, sys.stdout)
        print()
    return 0
