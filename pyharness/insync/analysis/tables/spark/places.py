"""Where files and tables are, in the words that Spark understands: URIs, and paths as patterns."""

from __future__ import annotations

import re
from pathlib import Path

from insync.events.schema import EVENTS

TABLES = "tables"
"""The folder of a run's or a matrix's own tables, in its folder."""


def local(folder: Path) -> str:
    """Name a folder of this machine; Hadoop wants it unescaped, unlike `Path.as_uri`."""
    return f"file://{folder.absolute().as_posix()}"


def below(folder: str, path: Path) -> str:
    """Name a folder by its place below another one; that may be the other one itself."""
    return folder if path == Path() else f"{trimmed(folder)}/{path.as_posix()}"


def events(folder: str) -> str:
    """Name the folder of a run's event files, as Spark's readers want it."""
    return literal(f"{trimmed(folder)}/{EVENTS}")


def table_to_write(storage: str, layer: str, name: str) -> str:
    """Name a table's folder, as Spark's writers want it."""
    return f"{trimmed(storage)}/{layer}/{name}"


def table_to_read(storage: str, layer: str, name: str) -> str:
    """Name a table's folder, as Spark's readers want it: they take every path for a pattern."""
    return literal(table_to_write(storage, layer, name))


def trimmed(path: str) -> str:
    """Return a path without a slash at its end."""
    return path.rstrip("/")


def literal(path: str) -> str:
    """Return a path as a pattern that stands for it alone."""
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", path)
