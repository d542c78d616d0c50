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
from insync.analysis.tables.bronze.folders import MARK
from insync.analysis.tables.contracts import FILE as CONTRACTS_FILE
from insync.analysis.tables.contracts import layer_of, read_by_reports
from insync.analysis.tables.rows import Rows, read_parquet
from insync.errors import InputError
from insync.events.schema import EVENTS, RUN

MADE_OF = "made_of"
ENGINE = "engine"


def digest_of(folders: Sequence[Path]) -> str:
    """Return the digest of what the tables of local run folders are computed of."""
    found = sha256(code_digest().encode())
    for folder in folders:
        files = (folder / EVENTS).glob("**/*.jsonl")
        for file in sorted([folder / RUN, *files]):
            state = file.stat()
            name = file.relative_to(folder)
            found.update(f"{name}\0{state.st_size}\0{state.st_mtime_ns}\0".encode())
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


def engine_of(tables: Path) -> str:
    """Return the engine that computed the tables in a local folder, as in its mark."""
    try:
        return str(json.loads((tables / MARK).read_text(encoding="utf-8"))[ENGINE])
    except (OSError, ValueError, LookupError):
        raise InputError(f"{tables / MARK}: no engine, expected tables of an analysis") from None


def is_current(tables: Path, digest: str) -> bool:
    """Whether the tables in a local folder are complete, and were computed of the same."""
    try:
        return made_of((tables / MARK).read_text(encoding="utf-8")) == digest
    except OSError:
        return False


def made_of(text: str) -> str | None:
    """Return the digest in the text of a mark; None if it has none."""
    try:
        marked = json.loads(text)
    except ValueError:
        return None
    return marked.get(MADE_OF) if isinstance(marked, dict) else None


def stored_rows(tables: Path) -> Rows:
    """Return the rows of the tables that verdict and report read.

    Raises InputError if a table does not exist.
    """
    return labelled({c.name: read_parquet(_files(tables, c.name)) for c in read_by_reports()})


def labelled(rows: Rows) -> Rows:
    """Add the labels of anomalies to the rows of the tables that verdict and report read."""
    return {**rows, "first_anomalies": [with_label(row) for row in rows["first_anomalies"]]}


def folder_of(tables: Path, name: str) -> Path:
    """Return the folder of a table in a local folder of tables."""
    return tables / layer_of(name) / name


def _files(tables: Path, name: str) -> Iterable[Path]:
    folder = folder_of(tables, name)
    if not folder.is_dir():
        raise InputError(f"{folder}: no table, expected that of an earlier analysis")
    return sorted(folder.glob("*.parquet"))
