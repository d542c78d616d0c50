"""Opens and closes the Spark session, with its settings and its log.

The output of Spark and its JVM goes to a log file, not to the terminal. A local master binds to
loopback only, and has settings for the size of the events. Any other master keeps its own defaults.
The caller's settings override both.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from pyspark import SparkContext
from pyspark.sql import SparkSession

from insync.analysis.tables.spark import quick_start, round_trips
from insync.errors import InputError, InsyncError
from insync.events.schema import EVENTS

LOOPBACK = "127.0.0.1"

_JVM_GONE_WITHIN_S = 10.0
_ARCHIVE_WRITTEN_WITHIN_S = 120.0
_JVM_OPTIONS = "spark.driver.extraJavaOptions"

_EXPRESSIONS = "spark.sql.codegen.factoryMode"

_LOG_CONF = Path(__file__).with_name("log4j2.properties")
_ONE_TIER = "-XX:TieredStopAtLevel=1"
# With one tier of the JIT the code cache has 48 MB, which a matrix's analysis fills.
_SMALL_JVM = f"-XX:+UseSerialGC {_ONE_TIER} -XX:ReservedCodeCacheSize=240m"
_LOGGING = f"-Dlog4j2.configurationFile={_LOG_CONF.as_uri()}"

_ALWAYS = {
    "spark.app.name": "insync",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    # If on, every column created in Python costs five calls and a stack walk, for details in error
    # messages that the one-line errors omit: a tenth of the CPU time of a run's analysis.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}

_LOCAL = {
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.host": LOOPBACK,
}

_SMALL = {
    "spark.driver.memory": "512m",
    _JVM_OPTIONS: f"{_SMALL_JVM} -Xmn256m {_LOGGING}",
    # A run has some thousand lines: more partitions, adaptive plans and generated code cost more
    # time than they save.
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    _EXPRESSIONS: "NO_CODEGEN",
    # So do inferred filters, and the text of plans for the web UI, which is off.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled": "false",
    "spark.sql.ui.explainMode": "simple",
    "spark.sql.maxPlanStringLength": "1000",
}

_MEDIUM = {
    **_SMALL,
    "spark.driver.memory": "2g",
    # More records are worth compiled plans, the full JIT and a partition for each core.
    _JVM_OPTIONS: f"-XX:+UseSerialGC {_LOGGING}",
    "spark.sql.shuffle.partitions": "4",
    "spark.default.parallelism": "2",
    "spark.sql.codegen.wholeStage": "true",
    _EXPRESSIONS: "FALLBACK",
}

_LARGE = {
    "spark.driver.memory": "3g",
    _JVM_OPTIONS: f"-XX:+UseParallelGC {_LOGGING}",
    "spark.sql.shuffle.partitions": "64",
}

Size = Literal["small", "medium", "large"]
_SIZES: Mapping[Size, Mapping[str, str]] = {"small": _SMALL, "medium": _MEDIUM, "large": _LARGE}
_SIZE = "spark.insync.size"
"""The session's own setting with the size that it is for; unset with another master."""

_MIB = 1 << 20
MEDIUM_BYTES = 48 * _MIB
LARGE_BYTES = 1536 * _MIB
"""From these sizes of the events on, the settings of the size take less time than the smaller's."""
MOST_ARMS = 200
"""Of more arms the small tables are large, too."""


@dataclass(frozen=True)
class SparkSettings:
    """Where Spark runs, and the settings beyond the defaults of this module.

    `size` is that of the events, and counts if the master is local. `archive` is the class archive
    that its JVM uses or, if it does not exist, writes. `lasting` is for a session that computes
    small tables again and again: only there the full JIT saves more than it costs.
    """

    master: str = "local[2]"
    conf: Mapping[str, str] = field(default_factory=dict)
    size: Size = "small"
    archive: Path | None = None
    lasting: bool = False

    @property
    def local(self) -> bool:
        """Return whether Spark runs only in its driver's JVM."""
        return self.master.startswith("local")

    def resolved(self) -> dict[str, str]:
        """Return all settings of the session; the caller's override the others."""
        if not self.local:
            return {**_ALWAYS, **self.conf}
        size = _SIZES[self.size]
        flag = "" if self.archive is None else f" {quick_start.flag(self.archive)}"
        options = size[_JVM_OPTIONS].replace(_ONE_TIER, "") if self.lasting else size[_JVM_OPTIONS]
        quick = {_JVM_OPTIONS: options + flag}
        return {**_ALWAYS, **_LOCAL, _SIZE: self.size, **size, **quick, **self.conf}


def size_of(events_bytes: int) -> Size:
    """Return the size for which events of so many bytes count."""
    if events_bytes > LARGE_BYTES:
        return "large"
    return "medium" if events_bytes > MEDIUM_BYTES else "small"


def fitting(settings: SparkSettings, folders: Sequence[str]) -> SparkSettings:
    """Return the settings for the size of the run folders.

    Folders on another file system count as large: their size is not known before Spark runs, and
    the other settings keep the small tables of all runs in this process.
    """
    if any("://" in folder and not folder.startswith("file:") for folder in folders):
        return replace(settings, size="large")
    local = (Path(folder.removeprefix("file://")) for folder in folders)
    events = [file for folder in local for file in folder.glob(f"**/{EVENTS}/*/*.jsonl")]
    if len({file.parent for file in events}) > MOST_ARMS:
        return replace(settings, size="large")
    return replace(settings, size=size_of(sum(file.stat().st_size for file in events)))


@contextmanager
def open_session(settings: SparkSettings, log: Path) -> Iterator[SparkSession]:
    """Yield a session that ends with the block; raises InsyncError naming `log` if none starts."""
    if settings.local:
        os.environ.setdefault("SPARK_LOCAL_IP", LOOPBACK)
        os.environ.setdefault("SPARK_LAUNCHER_OPTS", _SMALL_JVM)
    builder = SparkSession.builder.master(settings.master)
    for key, value in settings.resolved().items():
        builder = builder.config(key, value)
    try:
        with _children_print_to(log):
            spark = builder.getOrCreate()
    except Exception as error:
        words = str(error).splitlines() or [type(error).__name__]
        raise InsyncError(f"Spark did not start ({words[0]}); see {log}") from error
    if SparkContext._gateway is not None:  # None under Spark Connect
        round_trips.remember_names(SparkContext._gateway)
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def compiled(spark: SparkSession) -> Iterator[None]:
    """Let Spark compile the expressions of the plans in the block.

    With the settings for small tables it interprets them. For every line of a run compiling costs
    less: bronze takes half the time.
    """
    before = str(spark.conf.get(_EXPRESSIONS))
    spark.conf.set(_EXPRESSIONS, "FALLBACK")
    try:
        yield
    finally:
        spark.conf.set(_EXPRESSIONS, before)


def is_small(spark: SparkSession) -> bool:
    """Whether the session is for so few events that most of its time is planning."""
    return spark.conf.get(_SIZE, "large") == "small"


def keeps_small_tables(spark: SparkSession) -> bool:
    """Whether this process has the memory for the small tables of all runs of a refresh."""
    return spark.conf.get(_SIZE, "large") != "large"


def has_one_partition(spark: SparkSession) -> bool:
    """Whether one partition holds all rows of a table."""
    return spark.conf.get("spark.sql.shuffle.partitions") == "1"


def end_jvm() -> None:
    """Wait until the JVM of this process's sessions has exited; no session can be opened after.

    PySpark lets it exit some time after Python has, when the caller of this process already
    expects an idle machine.
    """
    gateway = SparkContext._gateway
    if gateway is None:
        return
    gateway.shutdown()
    gateway.proc.stdin.close()
    writes = quick_start.is_asked_for()
    try:
        gateway.proc.wait(_ARCHIVE_WRITTEN_WITHIN_S if writes else _JVM_GONE_WITHIN_S)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
    quick_start.keep()


@contextmanager
def _children_print_to(log: Path) -> Iterator[None]:
    """Redirect the output of processes that are started inside the block to `log`."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        with log.open("wb") as target:
            os.dup2(target.fileno(), 1)
            os.dup2(target.fileno(), 2)
        yield
    finally:
        for number, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, number)
            os.close(saved)


def parse_conf(pairs: Sequence[str]) -> dict[str, str]:
    """Return KEY=VALUE settings by key; raises InputError for one without a value."""
    conf = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise InputError(f"--spark-conf: '{pair}', expected KEY=VALUE")
        conf[key] = value
    return conf
