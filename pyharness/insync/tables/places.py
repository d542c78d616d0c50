"""Where a run's files are, in the words that Spark understands: URIs, and paths as patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path


def local(folder: Path) -> str:
    """Name a folder of this machine; Hadoop wants it unescaped, unlike `Path.as_uri`."""
    return f"file://{folder.absolute().as_posix()}"


def events(storage: str, arms: Sequence[str], pattern: str) -> str:
    """Match the event files of some arms; only `pattern` and the arms are a pattern."""
    return f"{_literal(_trimmed(storage))}/events/{{{','.join(arms)}}}/{pattern}"


def table_to_write(storage: str, name: str) -> str:
    """Name a table's folder, as Spark's writers want it."""
    return f"{_trimmed(storage)}/tables/{name}"


def table_to_read(storage: str, name: str) -> str:
    """Name a table's folder, as Spark's readers want it: they take every path for a pattern."""
    return _literal(table_to_write(storage, name))


def _trimmed(storage: str) -> str:
    return storage.rstrip("/")


def _literal(path: str) -> str:
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", path)
