"""Runs the pipeline from run folders to bronze, silver and gold tables, all or nothing.

A refresh of the tables of a run or a matrix writes to a new folder and renames it when every stage
has finished and every contract holds, so a failing stage leaves the previous output unchanged. The
output may be on any file system that Hadoop supports. Where renaming means copying (object stores),
a reader may see an incomplete output between the two renames; the folder that `attempts` publishes
has no such moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from pyspark.sql import SparkSession

from insync.analysis.checks.registry import with_label
from insync.analysis.tables.bronze import lines as bronze
from insync.analysis.tables.bronze.folders import MARK, Folder
from insync.analysis.tables.bronze.runs import inputs_rows, runs_rows
from insync.analysis.tables.build import STAGES, Lane
from insync.analysis.tables.catalogue import read_by_reports
from insync.analysis.tables.current import mark
from insync.analysis.tables.rows import Rows
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop, cause
from insync.analysis.tables.spark.store import Store, at_once
from insync.errors import InputError, InsyncError
from insync.stages import BRONZE, GOLD, SILVER, Announce, silent

ATTEMPT = "attempt-"
"""Begins the names of the folders that `attempts` publishes."""
_STAGE_OF = {"silver": SILVER, "gold": GOLD}
_OWN = {MARK, "bronze", "silver", "gold"}


def refresh(
    spark: SparkSession,
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
    Raises InsyncError if a stage failed, and leaves `into` unchanged. `log` is Spark's log file,
    for the message.
    """
    hadoop = Hadoop(spark)
    with replaced(hadoop, into, digest, own=own) as new:
        store = compute_tables(spark, hadoop, folders, folders, new, log, announce)
        with _failures_of("gold", log):
            return rows_of_reports(store) if for_reports else {}


@contextmanager
def replaced(hadoop: Hadoop, into: str, digest: str | None, *, own: bool = False) -> Iterator[str]:
    """Yield the path of a new folder, which replaces `into` if the block ends without an error.

    Raises InputError if `into` holds anything else than tables, unless it is the caller's `own`.
    """
    new, old = f"{paths.trimmed(into)}.new", f"{paths.trimmed(into)}.old"
    if hadoop.exists(old) and not hadoop.exists(into):
        hadoop.move(old, into)  # the last refresh was interrupted between its two renames
    if not own:
        require_own(hadoop, into)
    with ExitStack() as ending:
        ending.callback(hadoop.delete, new)
        hadoop.delete(new)
        yield new
        hadoop.write(f"{new}/{MARK}", mark(digest))
        hadoop.delete(old)
        if hadoop.exists(into):
            hadoop.move(into, old)
        hadoop.move(new, into)
        hadoop.delete(old)


def require_own(hadoop: Hadoop, into: str) -> None:
    """Raise InputError unless `into` may be replaced: missing, empty, or an earlier output."""
    if not hadoop.exists(into):
        return
    inside = set(hadoop.children(into))
    if inside and MARK not in inside:
        raise InputError(
            f"{into}: holds {min(inside)}, expected a new or empty folder,"
            f" or one that `insync tables` has written ({MARK})"
        )
    if others := {name for name in inside - _OWN if not name.startswith((ATTEMPT, MARK))}:
        raise InputError(f"{into}: holds {min(others)}, expected only tables of insync")


def compute_tables(
    spark: SparkSession,
    hadoop: Hadoop,
    folders: Sequence[Folder],
    searched: Sequence[Folder],
    into: str,
    log: str,
    announce: Announce = silent,
) -> Store:
    """Compute every table of the runs in `folders` into the new folder `into`; return its store.

    `searched` are the rows of the table `inputs`. Raises InsyncError, and leaves what it has
    written. `log` is Spark's log file, for the message.
    """
    store = Store(spark, into)
    announce(BRONZE)
    with _failures_of("bronze", log):
        store.keep("runs", runs_rows(hadoop, folders))
        store.keep("inputs", inputs_rows(searched))
        used = [folder for folder in folders if folder.used]
        lines = bronze.bronze(bronze.raw_lines(spark, used, store.frames["runs"]))
        events = store.write_bronze(lines)
    for layer, stages in STAGES.items():
        announce(_STAGE_OF[layer])
        with _failures_of(layer, log):
            for lanes in stages:
                at_once((partial(_run_lane, store, events, lane) for lane in lanes), len(lanes))
    return store


@contextmanager
def _failures_of(layer: str, log: str) -> Iterator[None]:
    """Raise an InsyncError that names the layer for an error of Spark."""
    try:
        yield
    except InsyncError:
        raise
    except Exception as error:
        raise InsyncError(f"{layer} failed: {cause(error)}; see {log}") from error


def _run_lane(store: Store, events: bronze.Events, lane: Lane) -> None:
    for step in lane:
        store.compute(step(store.frames, events))


def rows_of_reports(store: Store) -> Rows:
    """Return the rows of the tables that reports read; raises InsyncError if they are too many."""
    found = {c.name: store.rows.get(c.name) for c in read_by_reports()}
    rows = {n: store.collect(n) if of is None else of for n, of in found.items()}
    return {**rows, "anomalies": [with_label(row) for row in rows["anomalies"]]}
