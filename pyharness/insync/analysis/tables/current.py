"""Tells whether a folder's tables are those of its events, and reads them without an engine.

The pipeline stores a digest of what it computed the tables of: the names, sizes and times of the
event files, what was asked for, and the program's own code. While that is unchanged, a verdict and
a report need no engine, also in a folder that was moved, or copied with the files' times.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import insync
from insync.analysis.checks.registry import with_label
from insync.analysis.engine.files import Files, FilesOf
from insync.analysis.tables.bronze.folders import MARK
from insync.analysis.tables.contracts import FILE as CONTRACTS_FILE
from insync.analysis.tables.contracts import FOLDERS, read_by_reports
from insync.analysis.tables.rows import Rows, read_parquet
from insync.errors import InputError
from insync.events.schema import EVENTS, RUN

MADE_OF = "made_of"
ENGINE = "engine"


def digest_of(files_of: FilesOf, folders: Sequence[str], inputs: str = "") -> str:
    """Return the digest of what the tables of run folders are computed of; also of `inputs`."""
    found = sha256(f"{code_digest()}{inputs}".encode())
    for folder in folders:
        for pattern in (RUN, f"{EVENTS}/*.jsonl", f"{EVENTS}/*/*.jsonl"):
            for each in files_of(folder).matching(folder, pattern):
                name = each.path.removeprefix(folder)
                found.update(f"{name}\0{each.size}\0{each.changed}\0".encode())
    return found.hexdigest()


@cache
def code_digest() -> str:
    """Return the digest of the program's source files, on which every table depends."""
    home = Path(insync.__file__).parent
    found = sha256()
    for file in (*sorted(home.rglob("*.py")), CONTRACTS_FILE):
        found.update(file.read_bytes())
    return found.hexdigest()


def mark(digest: str | None, engine: str) -> str:
    """Return the text of the file that marks a folder of tables, computed with an engine."""
    return json.dumps({"schema": 1, MADE_OF: digest, ENGINE: engine}) + "\n"


def current_engine(files: Files, tables: str, digest: str) -> str | None:
    """Return what computed the tables in a folder; None if they are not complete, or of others."""
    place = f"{tables}/{MARK}"
    try:
        marked = json.loads(files.read(place)) if files.exists(place) else None
    except ValueError:
        return None
    if not isinstance(marked, dict) or marked.get(MADE_OF) != digest:
        return None
    return str(marked[ENGINE])


def stored_rows(tables: Path) -> Rows:
    """Return the rows of the tables that verdict and report read.

    Raises InputError if a table does not exist.
    """
    names = [contract.name for contract in read_by_reports()]
    return labelled({name: read_parquet(_files(tables / FOLDERS[name])) for name in names})


def labelled(rows: Rows) -> Rows:
    """Add the labels of anomalies to the rows of the tables that verdict and report read."""
    return {**rows, "first_anomalies": [with_label(row) for row in rows["first_anomalies"]]}


def _files(folder: Path) -> Iterable[Path]:
    if not folder.is_dir():
        raise InputError(f"{folder}: no table, expected that of an earlier analysis")
    return sorted(folder.glob("*.parquet"))
