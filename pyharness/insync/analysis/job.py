"""`python -m insync.analysis.job DIR...`: computes tables, verdict and report of runs.

DIR is a local run folder, or the folder of a matrix; matrices and runs are not mixed. For a matrix
the job computes the tables of all its runs together, into the matrix's folder, and then writes its
cells and its page. Prints the reports' paths; exits with 0, 2 (bad input) or 3 (failed).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from insync.analysis.engine import paths
from insync.analysis.engine.files import Files
from insync.analysis.engine.options import choose, events_bytes
from insync.analysis.tables.bronze.folders import of_run
from insync.analysis.tables.current import current_engine, digest_of, stored_rows
from insync.analysis.tables.rows import Rows, rows_of_run
from insync.analysis.verdict.decide import cell_of, decide, without_run
from insync.analysis.verdict.facts import RunFacts
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.engines import ENGINES, AnalysisOptions, conf_of
from insync.errors import InputError, InsyncError, report_crash
from insync.events.matrix_info import PAGE, MatrixInfo, MatrixRow, is_matrix, load_matrix
from insync.events.run_info import RunInfo, load_run, run_name
from insync.events.schema import EVENTS, REPORT, RUN
from insync.events.verdict import Cell, Verdict, write_cells, write_verdict
from insync.events.writer import replaced_together
from insync.outcome import Outcome
from insync.progress import REPORT as REPORT_STAGE
from insync.progress import Announce, ProgressFile, silent
from insync.report.matrix.page import write_matrix_page
from insync.report.page import write_report
from insync.report.reproduce import environment_of
from insync.report.timeline.timelines import Timeline, timelines

if TYPE_CHECKING:
    from insync.analysis.engine.session import Session


@dataclass(frozen=True)
class Job:
    """What to analyse and how.

    `matrices` are the folders of the matrices that have the runs in `folders`; none: they are not
    of a matrix. `announce` gets the name of each stage.
    """

    folders: Sequence[Path]
    options: AnalysisOptions
    matrices: Sequence[Path] = ()
    announce: Announce = silent

    @property
    def log(self) -> Path:
        """Return the log file of Spark and its JVM, for all folders."""
        return (*self.matrices, *self.folders)[0] / "spark.log"


@dataclass(frozen=True)
class Analysed:
    """The results of the analysis of one run folder."""

    run: RunInfo
    facts: RunFacts
    verdict: Verdict
    pictures: Sequence[Timeline]
    rows: Rows


def run_job(job: Job) -> list[Path]:
    """Run the job; return the reports' paths. Raises InputError or InsyncError.

    The engine starts only if tables must be computed.
    """
    runs = {folder: _load(folder) for folder in job.folders}
    found = places(job)
    if all(place.engine for place in found):
        return analyse(None, job, runs, found)
    storage = [paths.local(place.folder) for place in found]
    choice = choose(job.options, storage, events_bytes(job.folders))
    job.announce(choice.starting)
    from insync.analysis.engine.session import open_session

    with open_session(choice, job.options, job.log) as session:
        return analyse(session, job, runs, found)


@dataclass(frozen=True)
class TableTarget:
    """A folder whose runs have their `tables` together: a run's, or a matrix's.

    `digest` is that of what the tables are computed of. `engine` is what computed those that are
    there, None if they are not used as they are.
    """

    folder: Path
    folders: Sequence[Path]
    tables: Path
    digest: str
    engine: str | None


def places(job: Job) -> list[TableTarget]:
    """Return the folders of a job that have tables."""
    found = []
    for folder in job.matrices or job.folders:
        folders = [each for each in job.folders if each.is_relative_to(folder)]
        digest = digest_of(lambda _: Files(), [paths.local(each) for each in folders])
        tables = folder / paths.TABLES
        engine = current_engine(Files(), paths.local(tables), digest)
        found.append(
            TableTarget(folder, folders, tables, digest, None if job.options.recompute else engine)
        )
    return found


def analyse(
    session: Session | None, job: Job, runs: Mapping[Path, RunInfo], of: Sequence[TableTarget]
) -> list[Path]:
    """Write tables, verdicts and reports of the runs in some places; return the reports' paths.

    `session` is an open one, None if all tables are current. The verdicts and reports are
    replaced when all are complete. Raises InputError or InsyncError.
    """
    with replaced_together([*job.folders, *job.matrices]) as fresh:
        found: dict[Path, Analysed] = {}
        for place in of:
            rows, engine = _rows(session, job, place, runs)
            job.announce(REPORT_STAGE)
            for folder in place.folders:
                found[folder] = _judge(fresh[folder], runs[folder], rows, engine)
        for matrix in job.matrices:
            inside = {at: each for at, each in found.items() if at.is_relative_to(matrix)}
            write_matrix(matrix, inside, fresh[matrix])
    return [*(folder / REPORT for folder in found), *(folder / PAGE for folder in job.matrices)]


def _load(folder: Path) -> RunInfo:
    run = load_run(folder)
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: not writable, expected a folder to put the report in")
    return run


def _judge(fresh: Path, run: RunInfo, rows: Rows, engine: str) -> Analysed:
    """Write the verdict and the report of a run into a folder, from the rows of its place."""
    cell = {"scenario": run.scenario_name, "kafka": run.kafka, "cluster": run.cluster}
    own = rows_of_run(rows, run_name(run), {**cell, "scale": float(run.scale)})
    facts = facts_of_run(run, own)
    verdict = decide(run, facts).model_copy(update={"engine": engine})
    write_verdict(fresh, verdict)
    pictures = timelines(run, own)
    write_report(fresh, run, verdict, own, pictures)
    return Analysed(run, facts, verdict, pictures, own)


def _rows(
    session: Session | None, job: Job, place: TableTarget, runs: Mapping[Path, RunInfo]
) -> tuple[Rows, str]:
    """Return the rows of a place, whose tables are computed unless they are current.

    The engine that computed them is returned, too.
    """
    if session is None or place.engine:
        return stored_rows(place.tables), place.engine or ""
    # Here, because a report of current tables needs no engine's client.
    from insync.analysis.tables.pipeline import refresh

    rows = refresh(
        session,
        [
            of_run(paths.local(folder), runs[folder], has_events=(folder / EVENTS).exists())
            for folder in place.folders
        ],
        paths.local(place.tables),
        str(job.log),
        own=True,
        digest=place.digest,
        announce=job.announce,
    )
    return rows, session.described


def parse_job(arguments: Sequence[str]) -> Job:
    """Return the job of the command line; a usage error exits with 2."""
    parser = argparse.ArgumentParser(prog="python -m insync.analysis.job", description=__doc__)
    parser.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="folder of a run or of a matrix"
    )
    parser.add_argument("--engine", choices=ENGINES, default=ENGINES[0])
    parser.add_argument("--spark-master", metavar="MASTER")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument(
        "--recompute", action="store_true", help="compute the tables even if they are current"
    )
    parser.add_argument("--progress", type=Path, metavar="FILE", help="report the stages in a file")
    given = parser.parse_args(arguments)
    folders = [folder.absolute() for folder in given.folders]
    matrices = _matrices(folders)
    runs = [run for matrix in matrices for run in recorded(matrix)]
    return Job(
        folders=runs if matrices else folders,
        options=AnalysisOptions(
            given.engine, given.spark_master, conf_of(given.spark_conf), given.recompute
        ),
        matrices=matrices,
        announce=ProgressFile(given.progress).phase if given.progress else silent,
    )


def _matrices(folders: Sequence[Path]) -> list[Path]:
    """Return the folders if they are matrices; raises InputError if only some of them are."""
    found = [folder for folder in folders if is_matrix(folder)]
    if found and len(found) < len(folders):
        raise InputError(f"{found[0]}: a matrix, expected only matrices besides it")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of the command line; return its exit code.

    An error is one line on standard error. One that is not expected has its traceback before it.
    """
    try:
        for report in run_job(parse_job(sys.argv[1:] if arguments is None else arguments)):
            print(report)
    except InsyncError as error:
        print(f"insync: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else Outcome.UNKNOWN.exit_code
    except OSError as error:
        print(f"insync: {type(error).__name__}: {error}", file=sys.stderr)
        return Outcome.UNKNOWN.exit_code
    except Exception as error:  # Python would exit with 1, the code of "fail"
        return report_crash(error)
    return 0


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
    run = of_row.run
    return [cell_of(row, run, of_row.facts, of_row.verdict, arm) for arm in run.arms]


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


if __name__ == "__main__":
    sys.exit(main())
