"""Computes the evidence of a verdict: what faults did, agents counted, replicas had in races."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT
from insync.faults.registry import tagged

_BROKER: Final = ("run", "arm", "broker")
_SINCE_START: Final = (
    "errors", "events_dropped", "holds_granted", "marks_total", "released_total",
)  # fmt: skip
"""The counters that only grow while a broker's process lives."""


def words() -> Column:
    """Return a fault in words, such as "read stall"."""
    return fn.trim(fn.concat_ws(" ", "site", "fault"))


def faults(lines: DataFrame) -> DataFrame:
    """Return one row per injected fault; `fault_no` counts from 0 within its repeat."""
    in_order = Window.partitionBy(*REPEAT).orderBy("injected_ms", "broker", "site")
    return lines.withColumn("fault_no", fn.row_number().over(in_order) - 1)


def agent_counters(lines: DataFrame, faults: DataFrame) -> DataFrame:
    """Return the last reading of each broker's agent in each repeat.

    The columns `new_*` count within this repeat what the agents count from the broker's start. The
    first repeat counts from the reading before it (repeat -1). A broker that was started again in
    the repeat counts from 0.
    """
    latest = Window.partitionBy(*REPEAT, "broker").orderBy(fn.desc("t_ms"))
    newest = lines.withColumn("newest", fn.row_number().over(latest)).where("newest = 1")
    restarted = (
        faults.where(fn.col("fault").isin(tagged("kills")))
        .select(*REPEAT, "broker", fn.lit(True).alias("killed"))
        .distinct()
    )
    new = fn.coalesce("killed", fn.lit(False)) | _fell(*_SINCE_START)
    return (
        newest.join(restarted, [*REPEAT, "broker"], "left")
        .withColumn("is_new", new)
        .withColumns(
            {
                f"new_{counter}": _added(counter, fn.col("is_new"))
                for counter in ("errors", "events_dropped", "holds_granted")
            }
        )
        .where(fn.col("repeat") >= 0)
    )


def controller_agent(lines: DataFrame) -> DataFrame:
    """Return for each repeat whether the controller's agent was active, and its `new_errors`."""
    of = ("run", "arm")
    added = _added("errors", _fell("errors", of=of), of=of)
    return lines.withColumn("new_errors", added).where(fn.col("repeat") >= 0)


def _fell(*counters: str, of: tuple[str, ...] = _BROKER) -> Column:
    """Whether one of the counters is below that of the previous repeat: the process is another."""
    return reduce(or_, (fn.col(counter) < _before(counter, of) for counter in counters))


def _added(counter: str, is_new: Column, of: tuple[str, ...] = _BROKER) -> Column:
    """Return the growth since the previous repeat, or since the start of a new process."""
    grown = fn.col(counter) - _before(counter, of)
    return fn.when(is_new, fn.col(counter)).otherwise(grown)


def _before(counter: str, of: tuple[str, ...]) -> Column:
    """Return the counter at the end of the previous repeat, 0 if there is none."""
    window = Window.partitionBy(*of).orderBy("repeat")
    return fn.coalesce(fn.lag(counter).over(window), fn.lit(0))


def clocks(lines: DataFrame) -> DataFrame:
    """Return how far each node's clock was ahead of the harness's, by the most exact line."""
    best = fn.min_by(fn.struct("ahead_ms", "error_ms"), "error_ms").alias("best")
    return lines.groupBy(*REPEAT, "broker").agg(best).select(*REPEAT, "broker", "best.*")


BEFORE = "before"
AFTER = "after"
REPLICA = [*REPEAT, "broker", "partition"]


def raced_replicas(samples: DataFrame) -> DataFrame:
    """Return one row per arm, repeat, broker and partition of the race's topic.

    `samples` counts the samples; `start_above_end` and `start_above_watermark` count those whose
    log start offset was above the replica's own log end offset or its own high watermark. An
    emptied log does not count for the latter until its high watermark has moved: if a follower's
    offset is out of range, Kafka 1.1 empties the log, which then begins at the leader's log start
    offset, and leaves the high watermark unchanged until the records of the next response are in
    the log. `log_start_offset` and `leo` are those after the race. The other columns are about the
    broker: its fetcher threads before and after, the partitions that failed during the race (None
    if Kafka does not count them), and the log start offsets that the agent corrected.
    """
    return (
        samples.withColumn("stale", _is_stale())
        .groupBy(*REPLICA)
        .agg(
            fn.count(fn.lit(1)).alias("samples"),
            fn.count_if(fn.col("log_start_offset") > fn.col("leo")).alias("start_above_end"),
            fn.count_if(_has_records() & _starts_above_watermark() & ~fn.col("stale")).alias(
                "start_above_watermark"
            ),
            _at(AFTER, "log_start_offset").alias("log_start_offset"),
            _at(AFTER, "leo").alias("leo"),
            _at(BEFORE, "fetchers").alias("fetchers_before"),
            _at(AFTER, "fetchers").alias("fetchers_after"),
            (_at(AFTER, "failed_partitions") - _at(BEFORE, "failed_partitions")).alias("failed"),
            (_at(AFTER, "put_right") - _at(BEFORE, "put_right")).alias("put_right"),
        )
    )


def _has_records() -> Column:
    return fn.col("log_start_offset") < fn.col("leo")


def _starts_above_watermark() -> Column:
    return fn.col("log_start_offset") > fn.col("high_watermark")


def _is_stale() -> Column:
    """Return whether the high watermark is still the one from before the log was emptied."""
    so_far = Window.partitionBy(*REPLICA).orderBy("t_ms")
    empty = _starts_above_watermark() & (fn.col("log_start_offset") == fn.col("leo"))
    left = fn.last(fn.when(empty, fn.col("high_watermark")), ignorenulls=True).over(so_far)
    return fn.coalesce(fn.col("high_watermark") == left, fn.lit(False))


def _at(moment: str, column: str) -> Column:
    return fn.max(fn.when(fn.col("moment") == moment, fn.col(column)))
