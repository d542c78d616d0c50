"""Run the analysis of run folders in a separate process, and read its results.

The harness itself loads no engine. The results are verdict.json, report.html and junit.xml;
those of a matrix also its cells and its page. The process ends with the harness, even after a
kill -9: the kernel kills it, and a JVM of Spark ends when its standard input does.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from insync.brokers.kafka import process
from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import load_matrix
from insync.events.run_info import load_run
from insync.events.verdict import Verdict, read_verdict
from insync.progress import Progress, ProgressReader
from insync.scratch import scratch_environment

LOG: Final = "analysis.log"
STOP_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.05
STAGE_SECONDS: Final = 0.5


def analyse(
    folders: Sequence[Path], analysis: AnalysisOptions, progress: Progress
) -> list[Verdict]:
    """Compute tables, verdict and report of run folders in one session; return the verdicts.

    Raises InputError if a folder holds no run, InsyncError if the analysis failed.
    """
    for folder in folders:
        load_run(folder)
    progress.phase("computing tables, verdict and report")
    _run(folders, analysis, progress)
    try:
        return [read_verdict(folder) for folder in folders]
    except InputError as error:  # of the analysis, not of what the user asked for
        raise InsyncError(f"{error}, expected the verdict of an analysis") from error


def analyse_matrices(
    matrices: Sequence[Path], analysis: AnalysisOptions, progress: Progress
) -> None:
    """Compute the same for all runs of matrices, then the cells, page and table of each.

    Raises InputError if a folder holds no matrix, InsyncError if the analysis failed.
    """
    for matrix in matrices:
        load_matrix(matrix)
    progress.phase("computing the tables of all runs, and the matrix")
    _run(matrices, analysis, progress)


def _run(folders: Sequence[Path], analysis: AnalysisOptions, progress: Progress) -> None:
    """Run the analysis process with its output in the first folder; it ends before this returns.

    It replaces earlier results when all are complete. Raises InsyncError if it failed.
    """
    log = folders[0] / LOG
    command = [sys.executable, "-m", "insync.analysis.job", *map(str, folders)]
    command += ["--engine", analysis.engine]
    if analysis.master is not None:
        command += ["--spark-master", analysis.master]
    for key, value in analysis.conf.items():
        command += ["--spark-conf", f"{key}={value}"]
    if analysis.recompute:
        command.append("--recompute")
    log.write_bytes(b"")
    with scratch_environment() as environment:
        stages = Path(environment["TMPDIR"]) / "stages.jsonl"
        command += ["--progress", str(stages)]
        job = process.start(command, log=log, folder=Path.cwd(), environment=environment)
        try:
            status = _wait(job, ProgressReader(stages), progress)
        except BaseException:  # also on Ctrl-C
            _end(job)
            raise
    if status:
        named = ", ".join(map(str, folders))
        raise InsyncError(f"analysis of {named} ended with {status}: {_last_line(log)}")


def _wait(job: "subprocess.Popen[bytes]", stages: ProgressReader, progress: Progress) -> int:
    """Return the exit status of the process when it has ended; report its stages meanwhile."""
    status = None
    while status is None:
        with suppress(subprocess.TimeoutExpired):
            status = job.wait(STAGE_SECONDS)
        for news in stages.news():
            progress.phase(f"analysis: {news['phase']}")
    return status


def _end(job: "subprocess.Popen[bytes]") -> None:
    """End the job and its JVM, if it has one, which are one process group."""
    give_up = time.monotonic() + STOP_SECONDS
    with suppress(ProcessLookupError):  # none of them is left
        os.killpg(job.pid, signal.SIGTERM)
        while time.monotonic() < give_up:
            job.poll()  # an ended job stays in its group until its exit code is read
            os.killpg(job.pid, 0)
            time.sleep(POLL_SECONDS)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def _last_line(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    last = next((line.strip() for line in reversed(lines) if line.strip()), None)
    if last is None:
        free = shutil.disk_usage(log.parent).free
        return f"no output; {free} bytes are free in {log.parent}"
    return f"{last.removeprefix('insync: ')} (full log: {log})"
