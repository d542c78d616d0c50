"""Finish `run`, `matrix` and `report`: analyse, print the verdict, choose the exit code."""

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from insync.brokers.cluster.node import has_data, remove_data
from insync.cli.output import TerminalProgress, results_console
from insync.cli.results import show_matrix, show_statistics, show_verdict
from insync.engine.campaign import read_done
from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import CELLS, PLAN, load_matrix
from insync.events.run_info import RunInfo, load_run
from insync.events.schema import RUN, nodes_dir
from insync.outcome import Outcome, worst
from insync.past.find import LEVELS, find_results
from insync.report.judgement import Judgement
from insync.report.matrix.cells import outcome, read_cells
from insync.run.analysis import analyse, analyse_matrix


def settle(folder: Path, run: RunInfo, needed: Collection[str]) -> list[Path]:
    """Remove the data of a run's arms that are not in `needed`; return the folders that have data.

    A run that was asked to keep its data keeps all of it.
    """
    if not run.keep_data:
        for arm in run.arms:
            if arm not in needed:
                _remove(nodes_dir(folder, arm))
    return [home for arm in run.arms if _has(home := nodes_dir(folder, arm))]


def settle_matrix(
    matrix: Path, runs: Collection[RunInfo], needed: Collection[tuple[str, str]]
) -> list[Path]:
    """Do the same for the clusters of a matrix; `needed` has versions and arms.

    The scenarios of an arm share its clusters: `KAFKA/nodes/ARM`, `ARM-2`, and so on.
    """
    homes = []
    for kafka, arm in dict.fromkeys((run.kafka, arm) for run in runs for arm in run.arms):
        own = list(_homes(nodes_dir(matrix / kafka, arm)))
        if (kafka, arm) not in needed and not any(run.keep_data for run in runs):
            for home in own:
                _remove(home)
        homes += own
    return [home for home in homes if _has(home)]


def _homes(first: Path) -> Iterator[Path]:
    """Yield the folders of an arm's clusters, one after the other."""
    number, home = 1, first
    while home.is_dir():
        yield home
        number += 1
        home = first.with_name(f"{first.name}-{number}")


def _remove(home: Path) -> None:
    for node in _nodes(home):
        remove_data(node)


def _has(home: Path) -> bool:
    return any(has_data(node) for node in _nodes(home))


def _nodes(home: Path) -> list[Path]:
    return [each for each in home.glob("[0-9]*") if each.is_dir()] if home.is_dir() else []


def analyse_and_show(
    folders: Sequence[Path], analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse run folders, print each verdict as text or JSON, return the worst exit code.

    The JSON document is the verdict, or an array of verdicts for several folders.
    """
    verdicts = _runs(folders, analysis, progress, as_json=as_json)
    if as_json:
        _print_json(verdicts)
    return worst(Outcome(verdict["verdict"]) for verdict in verdicts).exit_code


def analyse_and_show_matrix(
    matrix: Path, analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse all runs of a matrix, print its table or its cells as JSON, return the exit code."""
    analyse_matrix(matrix, analysis, progress)
    progress.stop()
    return show_analysed_matrix(matrix, as_json=as_json).exit_code


def show_analysed_matrix(matrix: Path, *, as_json: bool) -> Outcome:
    """Print the table of a matrix or its cells as JSON, return its outcome."""
    found = _matrix(matrix, as_json=as_json)
    if as_json:
        print((matrix / CELLS).read_text(encoding="utf-8"), end="")
    return found


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
    words, documents = set[Outcome](), list[Any]()
    usable = [folder for folder in found.runs if _is_usable(folder)]
    if len(usable) < len(found.runs):
        words.add(Outcome.UNKNOWN)
    if usable:
        verdicts = _runs(usable, analysis, progress, as_json=as_json)
        words |= {Outcome(verdict["verdict"]) for verdict in verdicts}
        documents += verdicts
    for matrix in found.matrices:
        try:
            analyse_matrix(matrix, analysis, progress)
            progress.stop()
            words.add(_matrix(matrix, as_json=as_json))
            documents.append(json.loads((matrix / CELLS).read_text(encoding="utf-8")))
        except InsyncError as error:
            print(f"insync: {error}", file=sys.stderr)
            words.add(Outcome.UNKNOWN)
    if as_json:
        _print_json(documents)
    return worst(words).exit_code


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


def _matrix(matrix: Path, *, as_json: bool) -> Outcome:
    """Print the table of an analysed matrix, return its outcome."""
    failures = (each["failure"] for each in read_done(matrix).values())
    wrong = list(dict.fromkeys(each for each in failures if each is not None))
    cells = read_cells(matrix)
    console = results_console(as_json=as_json)
    runs = [
        load_run(each) for each in load_matrix(matrix).run_folders(matrix) if (each / RUN).is_file()
    ]
    needed = {(cell.kafka, cell.arm) for cell in cells if cell.state.is_problem}
    show_matrix(console, cells, matrix, wrong, settle_matrix(matrix, runs, needed))
    if any(cell.repeats > 1 for cell in cells):
        show_statistics(console, matrix, {metric for cell in cells for metric in cell.figures})
    return outcome(cells)


def _print_json(documents: Sequence[Any]) -> None:
    """Print the only document, or all of them as an array."""
    json.dump(documents if len(documents) != 1 else documents[0], sys.stdout, indent=2)
    print()


def show_recorded(folder: Path, progress: TerminalProgress, *, as_json: bool) -> int:
    """Print where a run was recorded that is not analysed yet; return the exit code."""
    progress.stop()
    out = sys.stderr if as_json else sys.stdout
    print(f"recorded, not analysed yet: insync report {folder}", file=out)
    if as_json:
        json.dump({"recorded": str(folder)}, sys.stdout)
        print()
    return 0
