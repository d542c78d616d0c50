"""`python -m insync.analysis.job DIR...`: computes tables, verdict and report of runs.

DIR is a local run folder, or the folder of a matrix; matrices and runs are not mixed. For a matrix
the job computes the tables of all its runs together, into the matrix's folder, and then writes its
cells and its page. Several DIRs with few events are computed in one pass. Spark reads
the events from `--storage` and writes the tables there. The default is DIR; another folder is
needed if a cluster's workers cannot reach DIR. Prints the reports' paths; exits with 0, 2 (bad
input) or 3 (failed).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pyspark.sql import SparkSession

from insync.analysis.matrix import Analysed, recorded, write_matrix
from insync.analysis.tables.bronze.folders import Folder, of_run
from insync.analysis.tables.current import digest_of, is_current, stored_rows
from insync.analysis.tables.pipeline import refresh
from insync.analysis.tables.rows import Rows, rows_of_run
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.quick_start import archive_of
from insync.analysis.tables.spark.session import (
    SparkSettings,
    end_jvm,
    fitting,
    is_small,
    open_session,
    parse_conf,
)
from insync.analysis.tables.together import Target, can_be_together, refresh_together
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.file import write_verdict
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.brokers.kafka.java import find_java
from insync.errors import UNKNOWN, InputError, InsyncError, report_crash
from insync.events.matrix_info import PAGE, is_matrix
from insync.events.run_info import RunInfo, load_run, run_name
from insync.events.schema import EVENTS, REPORT
from insync.events.writer import replaced_together
from insync.report.judgement import read_judgement
from insync.report.render import write_report
from insync.report.timeline.timelines import timelines
from insync.stages import REPORT as REPORT_STAGE
from insync.stages import START, Announce, line_of, silent


@dataclass(frozen=True)
class Job:
    """What to analyse and how.

    `report_only` keeps the tables and the verdict; `recompute` computes the tables again even if
    their events have not changed.
    `storage` is the folder of the events and tables of the only DIR; None: DIR itself. `matrices`
    are the folders of the matrices that have the runs in `folders`; none: they are not of a matrix.
    `announce` gets the name of each stage.
    """

    folders: Sequence[Path]
    storage: str | None
    settings: SparkSettings
    report_only: bool = False
    recompute: bool = False
    matrices: Sequence[Path] = ()
    announce: Announce = silent

    @property
    def log(self) -> Path:
        """Return the log file of Spark and its JVM, for all folders."""
        return (*self.matrices, *self.folders)[0] / "spark.log"


def run_job(job: Job) -> list[Path]:
    """Run the job; return the reports' paths. Raises InputError or InsyncError.

    Spark starts only if tables must be computed.
    """
    runs = {folder: _load(folder) for folder in job.folders}
    if all(place.is_current for place in places(job)):
        return analyse(None, job, runs)
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    quick = replace(job.settings, archive=archive_of(java))
    settings = fitting(quick, [str(folder) for folder in job.folders])
    job.announce(START)
    with open_session(settings, job.log) as spark:
        return analyse(spark, job, runs)


@dataclass(frozen=True)
class Place:
    """A folder whose runs have their tables together: a run's, or a matrix's.

    `digest` is that of what the tables are computed of, if they are in the folder itself.
    `is_current` is whether they are used as they are.
    """

    folder: Path
    folders: Sequence[Path]
    storage: str
    digest: str | None
    is_current: bool

    @property
    def tables(self) -> Path:
        """Return the local folder of the tables."""
        return Path(self.storage.removeprefix("file://")) / paths.TABLES


def places(job: Job) -> list[Place]:
    """Return the folders of a job that have tables; raises InputError."""
    if job.storage is not None:
        if job.report_only and "://" in job.storage:
            raise InputError(f"--storage {job.storage}: expected a local folder for --only report")
        only = (*job.matrices, *job.folders)[0]
        return [Place(only, job.folders, paths.trimmed(job.storage), None, job.report_only)]
    return [_place(job, folder) for folder in job.matrices or job.folders]


def _place(job: Job, folder: Path) -> Place:
    folders = [each for each in job.folders if each.is_relative_to(folder)]
    digest = digest_of(folders)
    unchanged = not job.recompute and is_current(folder / paths.TABLES, digest)
    return Place(folder, folders, paths.local(folder), digest, job.report_only or unchanged)


def analyse(spark: SparkSession | None, job: Job, runs: Mapping[Path, RunInfo]) -> list[Path]:
    """Write tables, verdicts and reports of `runs`; return the reports' paths.

    `spark` is an open session, None if all tables are current. The verdicts and reports are
    replaced when all are complete. Raises InputError or InsyncError.
    """
    with replaced_together([*job.folders, *job.matrices]) as fresh:
        found: dict[Path, Analysed] = {}
        having_tables = places(job)
        for place, rows in zip(having_tables, _rows(spark, job, having_tables, runs), strict=True):
            job.announce(REPORT_STAGE)
            for folder in place.folders:
                own_rows = _rows_of(rows, runs[folder])
                found[folder] = _judge(job, folder, fresh[folder], runs[folder], own_rows)
        for matrix in job.matrices:
            own = {folder: each for folder, each in found.items() if folder.is_relative_to(matrix)}
            write_matrix(matrix, own, fresh[matrix])
    return [*(folder / REPORT for folder in found), *(folder / PAGE for folder in job.matrices)]


def _load(folder: Path) -> RunInfo:
    run = load_run(folder)
    if not os.access(folder, os.W_OK):
        raise InputError(f"{folder}: not writable, expected a folder to put the report in")
    return run


def _judge(job: Job, folder: Path, fresh: Path, run: RunInfo, rows: Rows) -> Analysed:
    """Write the verdict and the report of the run in `folder` into the folder `fresh`."""
    facts = facts_of_run(run, rows)
    if not job.report_only:
        write_verdict(fresh, run, decide(run, facts))
    judgement = read_judgement(folder if job.report_only else fresh)
    write_report(fresh, run, judgement, rows)
    return Analysed(run, facts, timelines(run, rows), rows)


def _rows(
    spark: SparkSession | None, job: Job, found: Sequence[Place], runs: Mapping[Path, RunInfo]
) -> Iterator[Rows]:
    """Yield the rows of each place, whose tables are computed unless they are current."""
    made = {} if spark is None else _computed_together(spark, job, found, runs)
    for place in found:
        if place.folder in made:
            yield made[place.folder]
        elif spark is None or place.is_current:
            yield stored_rows(place.tables)
        else:
            yield _compute(spark, job, place, runs)


def _computed_together(
    spark: SparkSession, job: Job, found: Sequence[Place], runs: Mapping[Path, RunInfo]
) -> dict[Path, Rows]:
    """Return the rows of places that one pass of Spark computes; none if each needs its own."""
    if job.storage is not None or not is_small(spark):
        return {}
    due = [place for place in found if not place.is_current]
    targets = [Target(each.tables, _folders(spark, each, runs), each.digest) for each in due]
    if not can_be_together(targets):
        return {}
    rows = refresh_together(spark, targets, str(job.log), announce=job.announce)
    return dict(zip((place.folder for place in due), rows, strict=True))


def _rows_of(rows: Rows, run: RunInfo) -> Rows:
    cell = {"scenario": run.scenario_name, "kafka": run.kafka, "cluster": run.cluster}
    return rows_of_run(rows, run_name(run), {**cell, "scale": float(run.scale)})


def _compute(spark: SparkSession, job: Job, place: Place, runs: Mapping[Path, RunInfo]) -> Rows:
    found = _folders(spark, place, runs)
    tables = f"{place.storage}/{paths.TABLES}"
    return refresh(
        spark, found, tables, str(job.log), own=True, digest=place.digest, announce=job.announce
    )


def _folders(spark: SparkSession, place: Place, runs: Mapping[Path, RunInfo]) -> list[Folder]:
    hadoop = Hadoop(spark)
    stored = {
        folder: paths.below(place.storage, folder.relative_to(place.folder))
        for folder in place.folders
    }
    return [_folder(hadoop, path, runs[folder]) for folder, path in stored.items()]


def _folder(hadoop: Hadoop, path: str, run: RunInfo) -> Folder:
    return of_run(path, run, has_events=hadoop.exists(f"{path}/{EVENTS}"))


def parse_job(arguments: Sequence[str]) -> Job:
    """Return the job of the command line; a usage error exits with 2."""
    parser = argparse.ArgumentParser(prog="python -m insync.analysis.job", description=__doc__)
    parser.add_argument(
        "folders", metavar="DIR", type=Path, nargs="+", help="folder of a run or of a matrix"
    )
    parser.add_argument("--storage", help="folder or URI of events/ and tables/ (default: DIR)")
    parser.add_argument("--spark-master", default=SparkSettings.master, metavar="MASTER")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument(
        "--only",
        choices=["report"],
        help="write the report again, from the existing tables and verdict",
    )
    parser.add_argument(
        "--recompute", action="store_true", help="compute the tables even if they are current"
    )
    parser.add_argument(
        "--stages", action="store_true", help="also print a line when a stage begins"
    )
    given = parser.parse_args(arguments)
    if given.storage and len(given.folders) > 1:
        raise InputError(f"--storage {given.storage}: for one DIR, got {len(given.folders)}")
    folders = [folder.absolute() for folder in given.folders]
    matrices = _matrices(folders)
    runs = [run for matrix in matrices for run in recorded(matrix)]
    return Job(
        folders=runs if matrices else folders,
        storage=given.storage,
        settings=SparkSettings(given.spark_master, parse_conf(given.spark_conf)),
        report_only=given.only == "report",
        recompute=given.recompute,
        matrices=matrices,
        announce=_print_stage if given.stages else silent,
    )


def _matrices(folders: Sequence[Path]) -> list[Path]:
    """Return the folders if they are matrices; raises InputError if only some of them are."""
    found = [folder for folder in folders if is_matrix(folder)]
    if found and len(found) < len(folders):
        raise InputError(f"{found[0]}: a matrix, expected only matrices besides it")
    return found


@dataclass
class Outcome:
    """The exit code of a command."""

    code: int = 0


@contextmanager
def report_errors() -> Iterator[Outcome]:
    """Print an error as one line on standard error, and set the exit code.

    An error that is not expected has its traceback before the line.
    """
    outcome = Outcome()
    try:
        yield outcome
    except InsyncError as error:
        print(f"insync: {error}", file=sys.stderr)
        outcome.code = 2 if isinstance(error, InputError) else UNKNOWN
    except OSError as error:
        print(f"insync: {type(error).__name__}: {error}", file=sys.stderr)
        outcome.code = UNKNOWN
    except Exception as error:  # Python would exit with 1, the code of "fail"
        outcome.code = report_crash(error)


def _print_stage(stage: str) -> None:
    """Write the line that the command which waits for this process shows as progress."""
    print(line_of(stage), flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of the command line; return its exit code."""
    with report_errors() as outcome:
        for report in run_job(parse_job(sys.argv[1:] if arguments is None else arguments)):
            print(report)
    return outcome.code


if __name__ == "__main__":
    code = main()
    end_jvm()
    sys.exit(code)
