"""Finish `run`, `matrix` and `report`: analyse, print the verdict, choose the exit code."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from insync.brokers.kafka.java import find_java
from insync.cli.progress import TerminalProgress
from insync.cli.results import results_console, show_matrix, show_verdict
from insync.cli.statistics import show_statistics
from insync.events.matrix_info import CELLS
from insync.run.analysis import analyse, analyse_matrix
from insync.run.request import SparkOptions

EXIT_CODES: Final = {"fail": 1, "unknown": 3, "pass": 0}
"""Worst first."""


def analyse_and_show(
    folders: Sequence[Path], spark: SparkOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse run folders, print each verdict as text or JSON, return the worst exit code.

    The JSON document is the verdict, or an array of verdicts for several folders.
    """
    verdicts = analyse(folders, spark, find_java(), progress)
    progress.stop()
    console = results_console(as_json=as_json)
    for folder, verdict in zip(folders, verdicts, strict=True):
        show_verdict(console, verdict, folder)
        if any(arm["repeats"] > 1 for arm in verdict["arms"].values()):
            show_statistics(console, folder)
    if as_json:
        json.dump(verdicts if len(verdicts) > 1 else verdicts[0], sys.stdout, indent=2)
        print()
    words = {verdict["verdict"] for verdict in verdicts}
    return next(code for word, code in EXIT_CODES.items() if word in words)


def analyse_and_show_matrix(
    matrix: Path,
    spark: SparkOptions,
    progress: TerminalProgress,
    *,
    wrong: Sequence[str],
    as_json: bool,
) -> int:
    """Analyse all runs of a matrix, print its table or its cells as JSON, return the exit code.

    `wrong` lists the failures of whole arms; they are printed below the table.
    """
    from insync.report.matrix.cells import outcome, read_cells

    analyse_matrix(matrix, spark, find_java(), progress)
    progress.stop()
    cells = read_cells(matrix)
    console = results_console(as_json=as_json)
    show_matrix(console, cells, matrix, wrong)
    if any(cell.repeats > 1 for cell in cells):
        show_statistics(console, matrix, {metric for cell in cells for metric in cell.figures})
    if as_json:
        print((matrix / CELLS).read_text(encoding="utf-8"), end="")
    return EXIT_CODES[outcome(cells)]


def show_recorded(folder: Path, progress: TerminalProgress, *, as_json: bool) -> int:
    """Print where a run was recorded that is not analysed yet; return the exit code."""
    progress.stop()
    out = sys.stderr if as_json else sys.stdout
    print(f"recorded, not analysed yet: insync report {folder}", file=out)
    if as_json:
        json.dump({"recorded": str(folder)}, sys.stdout)
        print()
    return 0
