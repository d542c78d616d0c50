"""`insync report`: analyse run folders, for the first time or again."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Final

import typer

from insync.cli.options import (
    DEFAULT_ENGINE,
    Engine,
    Json,
    SparkConf,
    SparkMaster,
    analysis_options,
)
from insync.extras import require_analysis

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
    engine: Engine = DEFAULT_ENGINE,
    spark_master: SparkMaster = None,
    spark_conf: SparkConf = None,
    recompute: Annotated[
        bool,
        typer.Option(
            "--recompute", help="Compute the tables even if the events have not changed since."
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Compute tables, verdict and report from recorded runs.

    Tables that belong to the events as they are, and to this version of insync, are not computed
    again: then no engine is started.
    """
    from insync.cli.judge import (
        analyse_and_show,
        analyse_and_show_found,
        analyse_and_show_matrix,
    )
    from insync.cli.output import TerminalProgress
    from insync.errors import InputError
    from insync.events.matrix_info import is_matrix
    from insync.past.find import is_result
    from insync.signals import interruptible

    require_analysis("report")
    analysis = replace(analysis_options(engine, spark_master, spark_conf), recompute=recompute)
    with interruptible(), TerminalProgress() as progress:
        matrix = next((folder for folder in runs if is_matrix(folder)), None)
        if matrix is not None:
            if len(runs) > 1:
                raise InputError(f"{matrix}: a matrix, expected no other DIR besides it")
            return analyse_and_show_matrix(matrix, analysis, progress, as_json=json)
        if len(runs) == 1 and runs[0].is_dir() and not is_result(runs[0]):
            return analyse_and_show_found(runs[0], analysis, progress, as_json=json)
        return analyse_and_show(runs, analysis, progress, as_json=json)
