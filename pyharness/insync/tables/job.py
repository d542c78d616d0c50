"""`python -m insync.tables.job DIR`: tables, verdict and report of a run, in one session.

DIR is a run folder on this machine. Spark reads its events from `--storage` and writes
the tables there; that is DIR itself unless the events were put where a cluster's workers
can reach them. Prints the report's path; exits with 0, 2 (bad input) or 3 (failed).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.errors import PySparkException

from insync.errors import InputError, InsyncError
from insync.events.run_info import RunInfo, load_run
from insync.kafka.java import find_java
from insync.report.judgement import read_judgement
from insync.report.render import write_report
from insync.tables import places
from insync.tables.build import build_tables
from insync.tables.read import read_events
from insync.tables.session import SparkSettings, open_session
from insync.tables.store import Rows, read_tables, write_tables
from insync.verdict.condense import condense
from insync.verdict.decide import decide
from insync.verdict.file import write_verdict


@dataclass(frozen=True)
class Job:
    """What to analyse and how; `report_only` keeps the tables and the verdict as they are."""

    folder: Path
    storage: str
    settings: SparkSettings
    report_only: bool = False


def run_job(job: Job) -> Path:
    """Do the job; return the report's path. Raises InputError or InsyncError."""
    run = load_run(job.folder)
    if not os.access(job.folder, os.W_OK):
        raise InputError(f"{job.folder}: not writable, expected a folder to put the report in")
    os.environ["JAVA_HOME"] = str(find_java().home)
    rows = _make_rows(job, run)
    if not job.report_only:
        write_verdict(job.folder, run, decide(run, condense(run, rows)))
    return write_report(job.folder, run, read_judgement(job.folder), rows)


def _make_rows(job: Job, run: RunInfo) -> Rows:
    log = job.folder / "spark.log"
    with open_session(job.settings, log) as spark:
        try:
            if job.report_only:
                return read_tables(spark, job.storage)
            events = read_events(spark, job.storage, run.arms)
            return write_tables(spark, build_tables(events, run), job.storage)
        except PySparkException as error:
            words = str(error).splitlines() or [type(error).__name__]
            raise InsyncError(f"Spark failed ({words[0]}); see {log}") from error


def parse_job(arguments: Sequence[str]) -> Job:
    """Return the job that the command line asks for; a bad usage exits with 2."""
    parser = argparse.ArgumentParser(prog="python -m insync.tables.job", description=__doc__)
    parser.add_argument("folder", metavar="DIR", type=Path, help="run folder")
    parser.add_argument("--storage", help="folder or URI of events/ and tables/ (default: DIR)")
    parser.add_argument("--spark-master", default=SparkSettings.master, metavar="MASTER")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--only", choices=["report"], help="redo nothing but the report")
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    return Job(
        folder=folder,
        storage=given.storage or places.local(folder),
        settings=SparkSettings(given.spark_master, _parse_conf(given.spark_conf)),
        report_only=given.only == "report",
    )


def _parse_conf(pairs: Sequence[str]) -> dict[str, str]:
    conf = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"--spark-conf: '{pair}', expected KEY=VALUE")
        conf[key] = value
    return conf


@dataclass
class Outcome:
    """How a command ended, as its exit code."""

    code: int = 0


@contextmanager
def report_errors() -> Iterator[Outcome]:
    """Turn the harness's own errors into one line on standard error and an exit code."""
    outcome = Outcome()
    try:
        yield outcome
    except InsyncError as error:
        print(f"insync: {error}", file=sys.stderr)
        outcome.code = 2 if isinstance(error, InputError) else 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job of the command line; return its exit code."""
    with report_errors() as outcome:
        print(run_job(parse_job(sys.argv[1:] if arguments is None else arguments)))
    return outcome.code


if __name__ == "__main__":
    sys.exit(main())
