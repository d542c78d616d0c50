"""Computes the tables of one or of thousands of runs into one folder, for `insync tables`.

A folder may be on any file system that Hadoop supports, and is searched for runs. Problems of
folders and lines are counted and reported. They end the job only if no folder holds a run.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import functions as fn

from insync.analysis.engine import paths
from insync.analysis.engine.files import is_local, local_path
from insync.analysis.engine.options import choose, events_bytes
from insync.analysis.engine.session import Session, open_session
from insync.analysis.tables.bronze.folders import Folder, inputs_rows, look
from insync.analysis.tables.contracts import CONTRACTS, FOLDERS
from insync.analysis.tables.current import current_engine, digest_of
from insync.analysis.tables.pipeline import refresh
from insync.engines import AnalysisOptions
from insync.errors import InputError
from insync.progress import Announce, silent
from insync.scratch import scratch_process


@dataclass(frozen=True)
class Summary:
    """The result: `problems` of folders, and `files` that have unreadable or skewed lines.

    `computed` is whether the output folder did not have the tables of the same events yet.
    """

    into: str
    runs: int
    computed: bool
    problems: Sequence[str]
    files: Sequence[str]
    lines: int
    unreadable: int
    skewed: int


def compute(
    named: Sequence[str],
    into: str | None,
    options: AnalysisOptions,
    announce: Announce = silent,
) -> Summary:
    """Compute the tables of every run in the folders `named`.

    The tables go to `into` or, if one folder is named, to its subfolder `tables` by default.
    Raises InputError, or InsyncError that names Spark's log.
    """
    place = into or _default_folder(named)
    local = [local_path(each) for each in named if is_local(each)]
    choice = choose(options, [*named, place], events_bytes(local))
    handle, name = tempfile.mkstemp(prefix="insync-spark-", suffix=".log")
    os.close(handle)
    log = Path(name)
    with scratch_process():
        announce(choice.starting)
        with open_session(choice, options, log) as session:
            summary = _compute(session, named, place, log, announce)
    log.unlink()  # after an error it stays, because the message names it
    return summary


def _default_folder(named: Sequence[str]) -> str:
    if len(named) > 1:
        raise InputError(
            f"--into: missing, expected a folder for the tables of {len(named)} folders"
        )
    return f"{paths.trimmed(named[0])}/{paths.TABLES}"


def _compute(
    session: Session, named: Sequence[str], into: str, log: Path, announce: Announce
) -> Summary:
    files = session.files(into)
    place = files.qualified(into)
    folders = look(session.files, named)
    if not any(folder.used for folder in folders):
        raise InputError(
            f"{_shown(folders[0].path)}: {folders[0].problem}; no named folder holds a run"
        )
    used = [folder.path for folder in folders if folder.used]
    digest = digest_of(session.files, used, repr(inputs_rows(folders)))
    is_current = current_engine(files, place, digest) is not None
    if not is_current:
        refresh(
            session, folders, place, str(log), digest=digest, for_reports=False, announce=announce
        )
    return _summary(session, folders, place, computed=not is_current)


def _summary(session: Session, folders: Sequence[Folder], into: str, *, computed: bool) -> Summary:
    table = f"{into}/{FOLDERS['input_lines']}"
    counts = session.read(table, columns=CONTRACTS["input_lines"].schema)
    numbers = ("lines", "unreadable", "skewed")
    (total,) = counts.agg(*(fn.coalesce(fn.sum(n), fn.lit(0)).alias(n) for n in numbers)).collect()
    bad = counts.where("unreadable > 0 or skewed > 0").orderBy("run", "file").collect()
    return Summary(
        into=_shown(into),
        runs=sum(folder.used for folder in folders),
        computed=computed,
        problems=[f"{_shown(each.path)}: {each.problem}" for each in folders if each.problem],
        files=[
            f"{row['run']}/{row['file']}: {row['unreadable']} of {row['lines']} lines unreadable,"
            f" {row['skewed']} far outside of the run's time"
            for row in bad
        ],
        **{name: total[name] for name in numbers},
    )


def _shown(path: str) -> str:
    """Return a path as users name it."""
    return str(local_path(path)) if is_local(path) else path
