"""Computes the evidence behind a verdict: what the faults did and what the agents counted."""

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
    """Return a fault in words, such as "read stall", as `insync.events.schema.fault_words` does."""
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
