"""Run the analysis of run folders in a separate process, and read its results.

The harness itself does not load Spark. The results are verdict.json, report.html and junit.xml;
those of a matrix also its cells and its page.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka.java import Java
from insync.errors import InsyncError
from insync.events.matrix_info import CELLS, PAGE, RESULTS, TEXT, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import JUNIT, REPORT, VERDICT
from insync.run.progress import Progress
from insync.run.request import SparkOptions

LOG: Final = "analysis.log"
STOP_SECONDS: Final = 10.0


def analyse(
    folders: Sequence[Path], spark: SparkOptions, java: Java, progress: Progress
) -> list[dict[str, Any]]:
    """Compute tables, verdict and report of run folders in one session; return the verdicts.

    Raises InputError if a folder holds no run, InsyncError if the analysis failed.
    """
    for folder in folders:
        load_run(folder)
    progress.phase("computing tables, verdict and report with Spark")
    for folder in folders:
        for stale in (VERDICT, REPORT, JUNIT):
            (folder / stale).unlink(missing_ok=True)
    log = folders[0] / LOG
    status = _run(folders, spark, log, java)
    return [_verdict(folder, status, log) for folder in folders]


def analyse_matrix(matrix: Path, spark: SparkOptions, java: Java, progress: Progress) -> None:
    """Compute the same for all runs of a matrix, then its cells, its page and its table.

    Raises InputError if the folder holds no matrix, InsyncError if the analysis failed.
    """
    load_matrix(matrix)
    progress.phase("computing the tables of all runs with Spark, and the matrix")
    for stale in (CELLS, PAGE, TEXT, RESULTS):
        (matrix / stale).unlink(missing_ok=True)
    log = matrix / LOG
    status = _run([matrix], spark, log, java)
    if not (matrix / PAGE).is_file():
        raise InsyncError(f"analysis of {matrix} ended with {status}: {_last_line(log)}")


def _run(folders: Sequence[Path], spark: SparkOptions, log: Path, java: Java) -> int:
    """Run the analysis process with its output in `log`; it ends before this call returns."""
    command = [sys.executable, "-m", "insync.analysis.job", *map(str, folders)]
    command += ["--spark-master", spark.master]
    for setting in spark.conf:
        command += ["--spark-conf", setting]
    environment = {**os.environ, "JAVA_HOME": str(java.home)}
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
        )
    try:
        return process.wait()
    except BaseException:  # on Ctrl-C, too, let Spark remove its scratch files
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        raise


def _verdict(folder: Path, status: int, log: Path) -> dict[str, Any]:
    try:
        verdict = json.loads((folder / VERDICT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InsyncError(
            f"analysis of {folder} ended with {status} and no verdict: {_last_line(log)}"
        ) from error
    if not isinstance(verdict, dict):
        raise InsyncError(f"{folder / VERDICT}: expected an object")
    return verdict


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), "no output")
    return f"{last} (full log: {log})"
