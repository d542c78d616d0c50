"""Publishes the tables of many runs in one folder, and computes only those of new runs.

The folder holds attempts and a manifest. An attempt is a folder of bronze, silver and gold tables
of some runs; it is written once, and no two published attempts share a run. The manifest,
`_insync.json`, names the published attempts and their runs. It is replaced last and at once, so
that a reader who follows it never sees half a refresh, and a killed refresh leaves the old rows.

A refresh computes the runs that are new or have changed into a new attempt. If a run of an attempt
has changed or is gone, the attempt's other runs are computed again too, so that no row of an
attempt is ever out of date. An attempt that is not published any more is deleted by the next
refresh, because a reader may still use it.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from insync.analysis.engine import paths
from insync.analysis.engine.files import Files
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import MARK, Folder
from insync.analysis.tables.bronze.runs import inputs_rows
from insync.analysis.tables.catalogue import layer_of
from insync.analysis.tables.current import code_digest
from insync.analysis.tables.pipeline import ATTEMPT, compute_tables, require_own
from insync.analysis.tables.silver.catalogue import INPUTS
from insync.analysis.tables.store import Store
from insync.errors import InsyncError
from insync.events.schema import EVENTS, RUN
from insync.stages import Announce, silent

MOST_ATTEMPTS = 32
"""When so many are published, all runs are computed into one: each is 45 folders of small files."""


class Manifest(BaseModel):
    """The published attempts.

    `attempts` are the runs of each attempt, oldest first, each run with the digest of what its
    tables were computed of. The newest attempt has the table `inputs` of all searched folders, and
    `inputs` is its digest.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[2] = Field(default=2, alias="schema")
    attempts: Mapping[str, Mapping[str, str]] = {}
    inputs: str = ""


@dataclass(frozen=True)
class Refreshed:
    """The published tables; `computed` is how many runs this refresh computed."""

    place: str
    manifest: Manifest
    computed: int

    def files_of(self, name: str) -> list[str]:
        """Return the folders of a table's files."""
        shown = [attempt for attempt, runs in self.manifest.attempts.items() if runs]
        if name == INPUTS.name:
            shown = list(self.manifest.attempts)[-1:]
        layer = layer_of(name)
        return [paths.table(f"{self.place}/{each}", layer, name) for each in shown]


def publish(
    session: Session,
    folders: Sequence[Folder],
    place: str,
    log: str,
    announce: Announce = silent,
) -> Refreshed:
    """Compute the runs in `folders` that are new or have changed, and publish the tables of all.

    Runs that are not in `folders` are published no longer. Raises InputError if `place` holds
    anything else. Raises InsyncError, and leaves what is published, if a stage failed or another
    refresh published meanwhile. `log` is the log file, for the
    message.
    """
    files = session.files(place)
    require_own(files, place)
    before = _read(files, place)
    searched = sha256(repr(inputs_rows(folders)).encode()).hexdigest()
    wanted = {each.run: _digest(session, each) for each in folders if each.run is not None}
    kept = kept_attempts(before.attempts, wanted)
    there = {run for runs in kept.values() for run in runs}
    new = {run: digest for run, digest in wanted.items() if run not in there}
    if not new and kept == before.attempts and searched == before.inputs:
        return Refreshed(place, before, 0)
    _delete_all_but(files, place, before)
    attempt = f"{ATTEMPT}{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{secrets.token_hex(2)}"
    into = f"{place}/{attempt}"
    with _deleted_after_failure(files, into):
        if new:
            changed = [folder for folder in folders if folder.run in new]
            compute_tables(session, changed, folders, into, log, announce)
        else:
            Store(session, into).keep(INPUTS.name, inputs_rows(folders))
        if _read(files, place) != before:
            raise InsyncError(f"{place}: another refresh has published its tables meanwhile")
    full = {name: runs for name, runs in kept.items() if runs}
    # Only the newest attempt may be without runs: it has the table `inputs`.
    after = Manifest(attempts={**full, attempt: new}, inputs=searched)
    files.publish(f"{place}/{MARK}", after.model_dump_json(indent=2, by_alias=True) + "\n")
    return Refreshed(place, after, len(new))


def kept_attempts(
    published: Mapping[str, Mapping[str, str]], wanted: Mapping[str, str]
) -> Mapping[str, Mapping[str, str]]:
    """Return the attempts of which every run is wanted, and with the same digest.

    Return none if there are so many that all runs are to be computed into one.
    """
    if len(published) >= MOST_ATTEMPTS:
        return {}
    return {name: runs for name, runs in published.items() if runs.items() <= wanted.items()}


def _read(files: Files, place: str) -> Manifest:
    """Return the manifest of a folder; an empty one if it has none, or an older layout."""
    file = f"{place}/{MARK}"
    if not files.exists(file):
        return Manifest()
    try:
        return Manifest.model_validate_json(files.read(file))
    except ValidationError:
        return Manifest()


def _digest(session: Session, folder: Folder) -> str:
    """Return the digest of what a run's tables are computed of: its files, and the program."""
    files = session.files(folder.path)
    found = sha256(f"{code_digest()}\0{folder.path}\0".encode())
    for pattern in (RUN, f"{EVENTS}/*", f"{EVENTS}/*/*"):
        found.update(repr(files.matching(folder.path, pattern)).encode())
    return found.hexdigest()


def _delete_all_but(files: Files, place: str, manifest: Manifest) -> None:
    """Delete what is not published: superseded and unfinished attempts, and an older layout."""
    if not files.exists(place):
        return
    for name in files.folders(place):
        if name not in manifest.attempts:
            files.delete(f"{place}/{name}")


@contextmanager
def _deleted_after_failure(files: Files, folder: str) -> Iterator[None]:
    try:
        yield
    except BaseException:
        files.delete(folder)
        raise
