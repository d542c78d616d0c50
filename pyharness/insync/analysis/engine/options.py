"""Chooses the engine: the embedded one for local input of limited size, else Apache Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from insync.analysis.engine.files import is_local
from insync.errors import InputError
from insync.events.schema import EVENTS
from insync.stages import START

Name = Literal["embedded", "spark"]
ENGINES = ("auto", "embedded", "spark")
LOCAL_MASTER = "local[2]"

MOST_BYTES = 1 << 30
"""The most bytes of events that the embedded engine gets: those of about 10^6 operations.

An analysis needs about twice as much memory (docs/results.md)."""
MOST_MEMORY = 4 << 30
"""The most memory, in bytes, that its queries may use; then they use temporary files."""


@dataclass(frozen=True)
class EngineOptions:
    """Which engine computes the tables, `auto` for the fitting one.

    `master` is Spark's, None for one in this process; `conf` are settings of Spark. Either of them
    asks for Spark.
    """

    engine: str = "auto"
    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """The chosen engine; `why` is why it is not the embedded one."""

    name: Name
    why: str = ""

    @property
    def starting(self) -> str:
        """Return the stage of an analysis in which the engine starts."""
        return START if self.name == "embedded" else f"{START}: Apache Spark, because of {self.why}"


def choose(options: EngineOptions, folders: Sequence[str], events_bytes: int) -> Choice:
    """Return the engine for the events in `folders`; raises InputError if it is not installed.

    `events_bytes` is the size of the events in the local folders.
    """
    if options.engine == "embedded":
        _require("pysail", "embedded")
        return Choice("embedded")
    why = _why_spark(options, folders, events_bytes)
    if why is None:
        return Choice("embedded")
    if options.engine == "auto" and not _has_spark():
        raise InputError(
            f"--engine auto: {why}, which needs Apache Spark: pip install 'insync[spark]'"
        )
    _require("pyspark.core", "spark")
    return Choice("spark", why)


def events_bytes(folders: Sequence[Path]) -> int:
    """Return the size of the events in local run folders, and in folders of such."""
    files = (file for folder in folders for file in folder.glob(f"**/{EVENTS}/*/*.jsonl"))
    return sum(file.stat().st_size for file in files)


def _why_spark(options: EngineOptions, folders: Sequence[str], events_bytes: int) -> str | None:
    if options.engine == "spark":
        return "--engine spark"
    if options.master is not None:
        return f"--spark-master {options.master}"
    if options.conf:
        return "--spark-conf"
    remote = next((folder for folder in folders if not is_local(folder)), None)
    if remote is not None:
        return f"the folder {remote}"
    if events_bytes > MOST_BYTES:
        return f"{events_bytes / 1e9:.1f} GB of events, more than {MOST_BYTES / 1e9:.1f} GB"
    if not _has("pysail"):
        return "the missing embedded engine (pysail)"
    return None


def _require(module: str, engine: Name) -> None:
    if not _has(module):
        extra = "analysis" if engine == "embedded" else "spark"
        raise InputError(
            f"--engine {engine}: not installed, expected pip install 'insync[{extra}]'"
        )


def _has_spark() -> bool:
    return _has("pyspark.core")


def _has(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def described(name: Name) -> str:
    """Return an engine and its version."""
    if name == "embedded":
        return f"Sail {version('pysail')}"
    return f"Apache Spark {version('pyspark')}"


def parse_conf(pairs: Sequence[str]) -> dict[str, str]:
    """Return KEY=VALUE settings by key; raises InputError for one without a value."""
    conf = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"--spark-conf: '{pair}', expected KEY=VALUE")
        conf[key] = value
    return conf
