"""Runs the pipeline from run folders to bronze, silver and gold tables, all or nothing.

A refresh writes to a new folder and renames it when every stage has finished and every contract
holds, so a failing stage leaves the previous output unchanged. The output may be on any file system
that Hadoop supports. Where renaming means copying (object stores), a reader may see an incomplete
output between the two renames.

What fits into this process is collected as Arrow tables and written here, with the same bytes for
the same rows. The other tables are written by the engine, in any order of their rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from threading import Lock

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.engine import paths
from insync.analysis.engine.files import Files
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import MARK, Folder, inputs_rows, runs_rows
from insync.analysis.tables.bronze.lines import LINES, Bronze, input_lines, read_lines
from insync.analysis.tables.build import STEPS, AnyStep, RowsStep, Step
from insync.analysis.tables.contracts import CONTRACTS, FOLDERS, LAYERS, Contract, read_by_reports
from insync.analysis.tables.current import labelled, mark
from insync.analysis.tables.rows import Row, Rows, arrow_table, as_parquet, rows_of
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
        store.compute(STEPS)
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


AT_ONCE = 4
"""How many steps run at a time: more than cores, because much of a step is waiting."""

MOST_ARMS = 400
"""The most arms of all runs whose small tables are collected: they have some MB an arm."""


class Store:
    """The tables of one refresh, in a folder on any file system that the engine can reach.

    `frames` are the tables so far, `tables` those of them that were collected, and `empty` the
    names of those without rows.
    """

    def __init__(self, session: Session, storage: str, arms: int = 0) -> None:
        """Store in the folder `storage` the tables of runs that have so many `arms` together."""
        self._session = session
        self._files = session.files(storage)
        self._storage = storage
        self._collects_small = arms <= MOST_ARMS
        self.frames: dict[str, DataFrame] = {}
        self.tables: dict[str, pa.Table] = {}
        self.empty: set[str] = set()
        self._parts: dict[str, list[pa.Table | str]] = {}
        self._one_part = Lock()

    def add_lines(self, lines: Mapping[str, DataFrame], present: Collection[str]) -> None:
        """Add event lines, which are stored already; `present` are those with rows."""
        self.frames.update(lines)
        self.empty |= set(lines) - set(present)

    def keep(self, name: str, rows: Sequence[Row]) -> None:
        """Store a table from its rows."""
        self._keep(CONTRACTS[name], arrow_table(rows, CONTRACTS[name]))

    def add(self, name: str, table: DataFrame) -> None:
        """Compute and store a table."""
        self._run(Step(name, lambda: table, ()))

    def compute(self, steps: Sequence[AnyStep]) -> None:
        """Compute and store the tables of the steps, each as soon as it can be.

        Raises InsyncError that names the table and the rule of its contract that is broken.
        """
        due, left = list(steps), [step.name for step in steps]
        running: dict[Future[None], AnyStep] = {}
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while due or running:
                ready = [step for step in due if not set(step.reads) & set(left)]
                for step in ready[: AT_ONCE - len(running)]:
                    due.remove(step)
                    running[pool.submit(self._run, step)] = step
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for each in done:
                    step = running.pop(each)
                    each.result()
                    left.remove(step.name)
                    if step.name not in left and step.name in self._parts:
                        self._join_parts(step.name)

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a small table, in its contract's order."""
        return list(rows_of(self._arrow(name)))

    def _run(self, step: AnyStep) -> None:
        if isinstance(step, RowsStep):
            self.keep(step.name, step.of(*(self._arrow(name) for name in step.reads)))
            return
        contract = CONTRACTS[step.name]
        if step.part:
            self._parts.setdefault(step.name, [])
        if any(name in self.empty for name in step.needs):
            if not step.part:
                self._keep(contract, contract.arrow_schema.empty_table())
            return
        # A transform may leave columns of its inputs.
        table = step.of(*self._arguments(step)).select(*(each.name for each in contract.columns))
        if self._is_collected(contract):
            found = table.toArrow()
            if step.part:
                self._parts[step.name].append(found)
            else:
                self._keep(contract, found)
        else:
            self._write(contract, table, step.part)

    def _arguments(self, step: Step) -> list[DataFrame | None]:
        given: list[DataFrame | None] = [self.frames[name] for name in (*step.needs, *step.also)]
        if step.setting:
            of_run = fn.broadcast(self.frames["runs"].select("run", step.setting))
            last = len(step.needs) - 1
            given[last] = self.frames[step.needs[last]].join(of_run, "run", "inner")
        return given + [None if n in self.empty else self.frames[n] for n in step.maybe]

    def _is_collected(self, contract: Contract) -> bool:
        return self._session.collects or (self._collects_small and not contract.bulk)

    def _join_parts(self, name: str) -> None:
        contract, parts = CONTRACTS[name], self._parts.pop(name)
        tables = [part.cast(contract.arrow_schema) for part in parts if isinstance(part, pa.Table)]
        if tables or not parts:
            self._keep(contract, pa.concat_tables([contract.arrow_schema.empty_table(), *tables]))
        else:
            self._use(contract, self._folder(name))

    def _keep(self, contract: Contract, table: pa.Table) -> None:
        name, found = contract.name, contract.conformed(table)
        file = f"{self._folder(name)}/{paths.PART}"
        self._files.write(file, as_parquet(found))
        self.tables[name] = found
        self.frames[name] = self._session.read(file, columns=contract.schema)
        if not found.num_rows:
            self.empty.add(name)

    def _write(self, contract: Contract, table: DataFrame, part: str) -> None:
        folder = self._folder(contract.name)
        if part:
            with self._one_part:  # two jobs would delete each other's temporary files
                table.write.mode("append").parquet(folder)
            self._parts[contract.name].append(folder)
        else:
            table.write.mode("overwrite").parquet(folder)
            self._use(contract, folder)

    def _use(self, contract: Contract, folder: str) -> None:
        """Use what the engine has written, if it keeps the contract."""
        stored = self._session.read(folder, columns=contract.schema)
        contract.check_stored(stored)
        self.frames[contract.name] = stored

    def _arrow(self, name: str) -> pa.Table:
        if name not in self.tables:
            self.tables[name] = CONTRACTS[name].conformed(self.frames[name].toArrow())
        return self.tables[name]

    def _folder(self, name: str) -> str:
        return f"{self._storage}/{FOLDERS[name]}"
