"""Builds the paths of files and tables for Spark: URIs to write, glob patterns to read."""

from __future__ import annotations

import re
from pathlib import Path

PART = "part-0.parquet"
"""The file of a table that this process writes."""

TABLES = "tables"
"""The subfolder of a run or a matrix that holds its tables."""


def local(folder: Path) -> str:
    """Return the URI of a local folder, unescaped as Hadoop needs it, unlike `Path.as_uri`."""
    return f"file://{folder.absolute().as_posix()}"


def trimmed(path: str) -> str:
    """Return a path without a slash at its end."""
    return path.rstrip("/")


def literal(path: str) -> str:
    """Return a pattern that matches only this path."""
    return re.sub(r"([\\*?{}\[\]])", r"\\\1", path)
