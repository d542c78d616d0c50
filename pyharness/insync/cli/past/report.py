"""`insync report`: analyse run folders, for the first time or again."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import Json, require
from insync.engines import AnalysisOptions
from insync.errors import InputError

EXAMPLES: Final = """\b
Examples:
  insync report ./out
  insync report ./monday ./tuesday --json
  insync report ./matrix
  insync report ./insync-runs
  insync report ./out --spark-master spark://host:7077 --spark-conf spark.executor.memory=1g
"""


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Folders from `insync run`, one from `insync matrix`, or a folder above such.",
        ),
    ],
    analysis: AnalysisOptions,
    recompute: Annotated[
        bool, "Compute the tables even if the events have not changed since."
    ] = False,
    json: Json = False,
) -> int:
    """Compute tables, verdict and report from recorded runs.

    Tables that belong to the events as they are, and to this version of insync, are not computed
    again: then no engine is started.
    """
    require("report", analysis)
    from insync.cli.output import TerminalProgress
    from insync.cli.results import analyse_and_show, analyse_below
    from insync.events.matrix_info import is_matrix
    from insync.past.results import is_result
    from insync.signals import interruptible

    analysis = replace(analysis, recompute=recompute)
    matrices = [folder for folder in runs if is_matrix(folder)]
    if matrices and len(runs) > 1:
        raise InputError(f"{matrices[0]}: a matrix, expected no other DIR besides it")
    with interruptible(), TerminalProgress() as progress:
        if len(runs) == 1 and runs[0].is_dir() and not is_result(runs[0]):
            return analyse_below(runs[0], analysis, progress, as_json=json)
        runs = [] if matrices else runs
        return analyse_and_show(runs, matrices, analysis, progress, as_json=json)
