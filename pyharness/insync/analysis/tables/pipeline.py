"""Runs the pipeline from run folders to bronze, silver and gold tables, all or nothing.

A refresh writes to a new folder and renames it when every stage has finished and every contract
holds, so a failing stage leaves the previous output unchanged. The output may be on any file system
that Hadoop supports. Where renaming means copying (object stores), a reader may see an incomplete
output between the two renames.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from insync.analysis.engine import paths
from insync.analysis.engine.files import Files
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import MARK, Folder, inputs_rows, runs_rows
from insync.analysis.tables.bronze.lines import LINES, Bronze, input_lines, read_lines
from insync.analysis.tables.build import steps_for
from insync.analysis.tables.catalogue import LAYERS, read_by_reports
from insync.analysis.tables.current import labelled, mark
from insync.analysis.tables.rows import Rows
from insync.analysis.tables.store import Store
from insync.errors import InputError, InsyncError
from insync.progress import BRONZE, TABLES, Announce, silent

_OWN = {MARK, "bronze", *LAYERS}


def refresh(
    session: Session,
    folders: Sequence[Folder],
    into: str,
    log: str,
    *,
    own: bool = False,
    digest: str | None = None,
    for_reports: bool = True,
    announce: Announce = silent,
) -> Rows:
    """Compute every table of the runs in `folders` and replace `into` with them.

    Return the rows of the tables that verdict and report read; none unless they are wanted
    `for_reports`. `digest` is that of what the tables are computed of, as of `current.digest_of`.
    Raises InputError if `into` holds anything else, unless it is the caller's `own` folder.
    Raises InsyncError if a stage failed, and leaves `into` unchanged. `log` is the log file, for
    the message.
    """
    with replaced(session, into, digest, own=own) as new:
        store = compute_tables(session, folders, new, log, announce)
        return rows_of_reports(store) if for_reports else {}


@contextmanager
def replaced(
    session: Session, into: str, digest: str | None, *, own: bool = False
) -> Iterator[str]:
    """Yield the path of a new folder, which replaces `into` if the block ends without an error.

    Raises InputError if `into` holds anything else than tables, unless it is the caller's `own`.
    """
    files = session.files(into)
    new, old = f"{paths.trimmed(into)}.new", f"{paths.trimmed(into)}.old"
    if files.exists(old) and not files.exists(into):
        files.move(old, into)  # the last refresh was interrupted between its two renames
    if not own:
        require_own(files, into)
    with ExitStack() as ending:
        ending.callback(files.delete, new)
        files.delete(new)
        yield new
        files.write(f"{new}/{MARK}", mark(digest, session.described))
        files.delete(old)
        if files.exists(into):
            files.move(into, old)
        files.move(new, into)
        files.delete(old)


def require_own(files: Files, into: str) -> None:
    """Raise InputError unless `into` may be replaced: missing, empty, or an earlier output."""
    if not files.exists(into):
        return
    inside = set(files.children(into))
    if inside and MARK not in inside:
        raise InputError(
            f"{into}: holds {min(inside)}, expected a new or empty folder,"
            f" or one that `insync tables` has written ({MARK})"
        )
    if others := inside - _OWN:
        raise InputError(f"{into}: holds {min(others)}, expected only tables of insync")


def compute_tables(
    session: Session,
    folders: Sequence[Folder],
    into: str,
    log: str,
    announce: Announce = silent,
) -> Store:
    """Compute every table of the runs in `folders` into the new folder `into`; return its store.

    Raises InsyncError, and leaves what it has written. `log` is the log file, for the message.
    """
    used = [folder for folder in folders if folder.used]
    store = Store(session, into, sum(len(each.info.arms) for each in used if each.info))
    announce(BRONZE)
    with failures_of("bronze", log):
        store.keep("runs", runs_rows(folders))
        store.keep("inputs", inputs_rows(folders))
        bronze = read_lines(session, used, f"{into}/bronze")
        add_lines(session, store, bronze)
    announce(TABLES)
    with failures_of("silver and gold", log):
        store.compute(steps_for())
    return store


def add_lines(session: Session, store: Store, bronze: Bronze) -> None:
    """Add the event lines to a store, and the table that counts them."""
    lines = bronze.lines(session)
    store.add_lines(lines, [f"{kind}{LINES}" for kind in bronze.present])
    store.add("input_lines", input_lines(session, bronze.stored, store.frames["runs"]))


@contextmanager
def failures_of(stage: str, log: str) -> Iterator[None]:
    """Raise an InsyncError that names the stage for an error of the engine."""
    try:
        yield
    except InsyncError:
        raise
    except Exception as error:
        raise InsyncError(f"{stage} failed: {cause(error)}; see {log}") from error


def cause(error: BaseException) -> str:
    """Return the cause of an error in one line.

    Engines put the class of the error before its message, and a stack trace behind it.
    """
    lines = (line.strip() for line in str(error).splitlines() if line.strip())
    return next(lines, type(error).__name__)


def rows_of_reports(store: Store) -> Rows:
    """Return the rows of the tables that reports read."""
    return labelled({contract.name: store.rows(contract.name) for contract in read_by_reports()})
