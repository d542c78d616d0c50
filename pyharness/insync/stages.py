"""Names the stages of an analysis, and the lines by which its process reports them.

The analysis writes a line per stage to its log; the command reads the log while it waits, and shows
the stage as progress.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Announce = Callable[[str], None]
"""Gets the name of each stage when it begins."""

START: Final = "starting the engine"
BRONZE: Final = "bronze"
TABLES: Final = "tables and checks"
REPORT: Final = "verdict and report"

_PREFIX: Final = "stage: "


def silent(stage: str) -> None:
    """Ignore a stage."""


def line_of(stage: str) -> str:
    """Return the line by which a process reports a stage."""
    return f"{_PREFIX}{stage}"


def stage_of(line: str) -> str | None:
    """Return the stage that a line reports, None if it is another line."""
    return line.removeprefix(_PREFIX).strip() if line.startswith(_PREFIX) else None
