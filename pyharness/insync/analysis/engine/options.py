"""Chooses the engine: the embedded one for local input of limited size, else Apache Spark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from insync.analysis.engine.files import is_local
from insync.engines import AnalysisOptions, has_embedded, require_engine, require_spark
from insync.errors import InputError
from insync.events.schema import EVENTS
from insync.progress import START

Name = Literal["embedded", "spark"]
LOCAL_MASTER = "local[2]"

MOST_BYTES = 1 << 30
"""The most bytes of events that the embedded engine gets: those of about 10^6 operations.

An analysis needs about twice as much memory (docs/results.md)."""
MOST_MEMORY = 4 << 30
"""The most memory, in bytes, that its queries may use; then they use temporary files."""


@dataclass(frozen=True)
class Choice:
    """The chosen engine; `why` is why it is not the embedded one."""

    name: Name
    why: str = ""

    @property
    def starting(self) -> str:
        """Return the stage of an analysis in which the engine starts."""
        return START if self.name == "embedded" else f"{START}: Apache Spark, because of {self.why}"


def choose(options: AnalysisOptions, folders: Sequence[str], events_bytes: int) -> Choice:
    """Return the engine for the events in `folders`; raises InputError if it is not installed.

    `events_bytes` is the size of the events in the local folders.
    """
    require_engine(options)
    remote = next((folder for folder in folders if not is_local(folder)), None)
    if options.engine == "embedded":
        if remote is not None:
            raise InputError(f"--engine embedded: {remote}, expected local folders")
        return Choice("embedded")
    why = options.spark_because or _why_spark(remote, events_bytes)
    if why is None:
        return Choice("embedded")
    require_spark(why)
    return Choice("spark", why)


def events_bytes(folders: Sequence[Path]) -> int:
    """Return the size of the events in local run folders, and in folders of such."""
    files = (file for folder in folders for file in folder.glob(f"**/{EVENTS}/*/*.jsonl"))
    return sum(file.stat().st_size for file in files)


def _why_spark(remote: str | None, events_bytes: int) -> str | None:
    if remote is not None:
        return f"the folder {remote}"
    if events_bytes > MOST_BYTES:
        return f"{events_bytes / 1e9:.1f} GB of events, more than {MOST_BYTES / 1e9:.1f} GB"
    return None if has_embedded() else "the missing embedded engine (pysail)"
