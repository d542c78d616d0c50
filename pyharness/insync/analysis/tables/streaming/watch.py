"""Follows a topic of events and tells again and again how the runs in it fare.

Every time, bronze, silver and gold are computed over all that came so far, by the functions
that make a run's tables; only those tables are computed that are told of.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from insync.analysis.tables.bronze.runs import told_runs
from insync.analysis.tables.spark import places
from insync.analysis.tables.spark.hadoop import Hadoop, cause
from insync.analysis.tables.spark.quick_start import archive_of
from insync.analysis.tables.spark.session import SparkSettings, end_jvm, open_session
from insync.analysis.tables.streaming.lone import with_lone
from insync.analysis.tables.streaming.overview import last_shrinks, overview
from insync.analysis.tables.streaming.stream import (
    Told,
    Topic,
    batches,
    follow,
    records,
    require_state,
    told,
)
from insync.brokers.kafka.connector import connector_jars
from insync.brokers.kafka.java import find_java
from insync.errors import InsyncError

SHRINKS = 5
"""How many of the last ones are told of."""

_LOOK_S = 0.2

_STOPPED_WITHIN = "10s"
"""Spark's own limit is none, and a batch that waits for a stalled broker is not cut short."""

_LINES = ("phases", "faults", "produce", "isr", "broker_events")
_TABLES = ("repeats", "faults", "isr_intervals", "isr_shrinks", "holds")

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Picture:
    """How things stand: `new_records` came since this watch began, `lines` are of known runs.

    `unknown` records belong to no run that was told of. `problems` are words about runs that
    cannot be read, and about files with unreadable lines.
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
        """Return it as JSON has it."""
        return asdict(self)


Show = Callable[[Picture], None]


@dataclass(frozen=True)
class Asked:
    """What to watch: with no `interval_s` once.

    `state` is a folder of this machine, `min_isr` min.insync.replicas of brokers that belong to
    no run; runs say theirs.
    """

    topic: Topic
    state: Path
    settings: SparkSettings
    interval_s: int | None
    min_isr: int


def watch_topic(asked: Asked, tell: Callable[[str], None], show: Show) -> None:
    """Show a picture whenever there is news, until interrupted.

    Raises InputError, or InsyncError that names Spark's log.
    """
    settings = _settings(asked, tell)
    tell("starting Spark")
    over = Event()
    # Not in the main thread: an interrupt there would cut a call to Spark's JVM in two.
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(_watch_topic, asked, settings, over, tell, show)
        try:
            watching.result()
        except KeyboardInterrupt:
            over.set()
            while wait([watching], _LOOK_S).not_done:
                _cancel()
            raise


def _settings(asked: Asked, tell: Callable[[str], None]) -> SparkSettings:
    """Return Spark's settings with the connector, whose jars are there when this returns."""
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    jars = ",".join(str(jar) for jar in connector_jars(java, tell))
    own = {"spark.jars": jars, "spark.sql.streaming.stopTimeout": _STOPPED_WITHIN}
    quick = archive_of(java)  # an analysis leaves it: what ends by Ctrl-C does not take the time
    archive = quick if quick.is_file() else None
    return replace(asked.settings, conf={**own, **asked.settings.conf}, archive=archive)


def _cancel() -> None:
    """End what Spark computes now, if it runs."""
    context = SparkContext._active_spark_context
    if context is not None:
        with suppress(Exception):  # it is ending already
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
    """Yield a file for Spark's words; an error leaves it: it is named there."""
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
    hadoop, state = Hadoop(spark), places.local(asked.state)
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
        with suppress(Exception):  # a query that cannot be stopped ends with its session
            query.stop()


def _show_news(
    spark: SparkSession,
    asked: Asked,
    query: StreamingQuery,
    old: Collection[str],
    over: Event,
    show: Show,
) -> None:
    """Show a picture after each batch, and at first if there were some, until the query ends."""
    hadoop, state = Hadoop(spark), places.local(asked.state)
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
    """Compute how things stand after the batches in `folders`, of which some are `old`.

    `min_isr` is min.insync.replicas of brokers that belong to no run.
    """
    try:
        new = [folder for folder in folders if folder not in old]
        so_far = told(spark, folders, min_isr)
        made = tables(spark, so_far)
        counts = _rows(made["input_lines"])
        return Picture(
            topic=topic.name,
            new_records=records(spark, new).count(),
            lines=sum(row["lines"] for row in counts),
            unknown=so_far.unknown,
            problems=[*so_far.problems, *_unreadable(counts)],
            repeats=_rows(overview(made).orderBy("start_ms", "arm", "repeat")),
            holds_by_site=_rows(made["holds_by_site"].orderBy("run", "arm", "repeat", "broker")),
            last_shrinks=_rows(last_shrinks(made["isr_shrinks"], SHRINKS)),
        )
    finally:
        spark.catalog.clearCache()


def tables(spark: SparkSession, so_far: Told) -> Mapping[str, DataFrame]:
    """Return silver's tables and gold's about the cluster, as plans, and `input_lines`."""
    runs = told_runs(spark, so_far.runs)
    lines = bronze.of_runs(so_far.lines, runs).cache()
    read = dict(bronze.bronze(lines))
    events = with_lone(bronze.Events.of({**read, **_kept(read, _LINES)}), so_far.lone)
    done = {"runs": runs, "input_lines": bronze.input_lines(lines, read, runs)}
    for step in build.LIVE:
        made = dict(step(done, events))
        done |= {**made, **_kept(made, _TABLES)}
    return done


def _kept(made: Mapping[str, DataFrame], names: Collection[str]) -> dict[str, DataFrame]:
    """Return those on which much rests: computed once, as if they had been written and read."""
    return {name: made[name].localCheckpoint(eager=False) for name in names if name in made}


def _unreadable(counts: Rows) -> list[str]:
    return [
        f"{row['run']}/{row['file']}: {row['unreadable']} of {row['lines']} lines unreadable"
        for row in sorted(counts, key=lambda row: (row["run"], row["file"]))
        if row["unreadable"]
    ]


def _rows(table: DataFrame) -> Rows:
    return [row.asDict(recursive=True) for row in table.collect()]
