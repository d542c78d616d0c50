"""Reads the files of JSON lines that a run leaves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_lines(file: Path) -> list[dict[str, Any]]:
    """Return every line of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def lines_of(run: Path, arm: str, name: str) -> list[dict[str, Any]]:
    """Return every line of one event file of an arm of a run."""
    return read_lines(run / "events" / arm / name)
