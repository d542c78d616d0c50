"""Follows a topic of events and repeatedly shows the state of the runs in it.

Each time it computes bronze, silver and gold tables over all events received so far, with the same
functions as for a run's tables, but only the tables that it shows.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from insync.analysis.tables import build
from insync.analysis.tables.bronze import lines as bronze
from insync.analysis.tables.bronze.runs import published_runs
from insync.analysis.tables.rows import Row
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop, cause
from insync.analysis.tables.spark.quick_start import archive_of
from insync.analysis.tables.spark.session import SparkSettings, compiled, end_jvm, open_session
from insync.analysis.tables.spark.store import Kept
from insync.analysis.tables.streaming.overview import last_shrinks, overview
from insync.analysis.tables.streaming.stream import (
    Received,
    Topic,
    batches,
    follow,
    received,
    records,
    require_state,
)
from insync.analysis.tables.streaming.unmanaged_brokers import with_unmanaged
from insync.brokers.kafka.connector import connector_jars
from insync.brokers.kafka.java import Java, find_java
from insync.errors import InsyncError
from insync.scratch import spark_process

SHRINKS = 5
"""How many of the latest ISR shrinks are shown."""

_LOOK_S = 0.2

_STOPPED_WITHIN = "10s"
"""Spark's default is to wait without limit for a batch, which a stalled broker may block."""

Rows = list[Row]


@dataclass(frozen=True)
class Picture:
    """The state of the runs: `new_records` since this watch began, and `lines` of known runs.

    `unknown` counts the records of runs without a description. `problems` names runs that cannot
    be read, and files with unreadable lines.
    """

    topic: str
    new_records: int
    lines: int
    unknown: int
    problems: Sequence[str]
    repeats: Rows
    holds_by_site: Rows
    last_shrinks: Rows

    def as_dict(self) -> dict[str, Any]:
        """Return the picture as a JSON object."""
        return asdict(self)


Show = Callable[[Picture], None]


@dataclass(frozen=True)
class Asked:
    """What to watch, and how often; without `interval_s` once.

    `state` is a local folder. `min_isr` is min.insync.replicas of unmanaged brokers; runs record
    their own.
    """

    topic: Topic
    state: Path
    settings: SparkSettings
    interval_s: int | None
    min_isr: int


def watch_topic(asked: Asked, tell: Callable[[str], None], show: Show) -> None:
    """Show a picture after every batch, until interrupted.

    Raises InputError, or InsyncError that names Spark's log.
    """
    java = find_java()
    with spark_process(java.home):
        _watch_with(java, asked, tell, show)


def _watch_with(java: Java, asked: Asked, tell: Callable[[str], None], show: Show) -> None:
    settings = _settings(asked, java, tell)
    tell("starting Spark")
    over = Event()
    # In another thread, because an interrupt in the main thread would break a call to Spark's JVM.
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(_watch_topic, asked, settings, over, tell, show)
        try:
            watching.result()
        except KeyboardInterrupt:
            over.set()
            while wait([watching], _LOOK_S).not_done:
                _cancel()
            raise


def _settings(asked: Asked, java: Java, tell: Callable[[str], None]) -> SparkSettings:
    """Return Spark's settings with Kafka's connector, and download its jars if needed."""
    jars = ",".join(str(jar) for jar in connector_jars(java, tell))
    own = {"spark.jars": jars, "spark.sql.streaming.stopTimeout": _STOPPED_WITHIN}
    # Only an analysis writes the archive, because Ctrl-C does not leave the time for it.
    quick = archive_of(java)
    archive = quick if quick.is_file() else None
    conf = {**own, **asked.settings.conf}
    return replace(asked.settings, conf=conf, archive=archive, lasting=True)


def _cancel() -> None:
    """Cancel all Spark jobs, if a session is open."""
    context = SparkContext._active_spark_context
    if context is not None:
        with suppress(Exception):  # the session is closing already
            context.cancelAllJobs()


def _watch_topic(
    asked: Asked,
    settings: SparkSettings,
    over: Event,
    tell: Callable[[str], None],
    show: Show,
) -> None:
    with _log() as log, open_session(settings, log) as spark:
        try:
            _watch(spark, asked, over, tell, show)
        except InsyncError:
            raise
        except Exception as error:
            if not over.is_set():
                raise InsyncError(f"{asked.topic.name}: {cause(error)}; see {log}") from error


@contextmanager
def _log() -> Iterator[Path]:
    """Yield a file for Spark's log; after an error it stays, because the message names it."""
    handle, name = tempfile.mkstemp(prefix="insync-spark-", suffix=".log")
    os.close(handle)
    log, failed = Path(name), False
    try:
        yield log
    except Exception:
        failed = True
        raise
    finally:
        end_jvm()
        if not failed:
            log.unlink()


def _watch(
    spark: SparkSession, asked: Asked, over: Event, tell: Callable[[str], None], show: Show
) -> None:
    hadoop, state = Hadoop(spark), paths.local(asked.state)
    require_state(hadoop, state, asked.topic)
    old = frozenset(batches(hadoop, state))
    tell(f"reading {asked.topic.name}")
    query = follow(spark, asked.topic, state, asked.interval_s)
    try:
        if asked.interval_s is None:
            while query.isActive and not over.wait(_LOOK_S):
                pass
        else:
            _show_news(spark, asked, query, old, over, show)
        failure = query.exception()
        if failure is not None:
            raise failure
        if asked.interval_s is None and not over.is_set():
            found = batches(hadoop, state)
            show(picture(spark, asked.topic, found, old, asked.min_isr))
    finally:
        with suppress(Exception):  # a query that does not stop ends with its session
            query.stop()


def _show_news(
    spark: SparkSession,
    asked: Asked,
    query: StreamingQuery,
    old: Collection[str],
    over: Event,
    show: Show,
) -> None:
    """Show a picture of the earlier batches, then after each new batch, until the query ends."""
    hadoop, state = Hadoop(spark), paths.local(asked.state)
    shown: list[str] = []
    while query.isActive:
        found = batches(hadoop, state)
        if found != shown:
            show(picture(spark, asked.topic, found, old, asked.min_isr))
            shown = found
        if over.wait(asked.interval_s):
            return


def picture(
    spark: SparkSession, topic: Topic, folders: Sequence[str], old: Collection[str], min_isr: int
) -> Picture:
    """Compute the picture after the batches in `folders`, of which those in `old` are not new.

    `min_isr` is min.insync.replicas of unmanaged brokers.
    """
    try:
        new = [folder for folder in folders if folder not in old]
        so_far = received(spark, folders, min_isr)
        shown = tables(spark, so_far)
        counts = shown.rows["input_lines"]
        return Picture(
            topic=topic.name,
            new_records=records(spark, new).count(),
            lines=sum(row["lines"] for row in counts),
            unknown=so_far.unknown,
            problems=[*so_far.problems, *_unreadable(counts)],
            repeats=_rows(overview(shown.frames).orderBy("start_ms", "arm", "repeat")),
            holds_by_site=shown.rows["holds_by_site"],
            last_shrinks=last_shrinks(shown.rows["isr_shrinks"], SHRINKS),
        )
    finally:
        spark.catalog.clearCache()


def tables(spark: SparkSession, so_far: Received) -> Kept:
    """Return the silver tables and the gold tables of the brokers, and `input_lines`."""
    kept = Kept(spark)
    kept.keep("runs", published_runs(so_far.runs))
    lines = bronze.bronze(bronze.of_runs(so_far.lines, kept.frames["runs"])).cache()
    with compiled(spark):
        present = bronze.kinds(lines)
    kept.frames["bronze"] = lines
    events = with_unmanaged(bronze.Events.of_cached(lines, present), so_far.unmanaged)
    for step in build.LIVE:
        kept.compute(step(kept.frames, events))
    return kept


def _unreadable(counts: Rows) -> list[str]:
    return [
        f"{row['run']}/{row['file']}: {row['unreadable']} of {row['lines']} lines unreadable"
        for row in sorted(counts, key=lambda row: (row["run"], row["file"]))
        if row["unreadable"]
    ]


def _rows(table: DataFrame) -> Rows:
    return [row.asDict(recursive=True) for row in table.collect()]
