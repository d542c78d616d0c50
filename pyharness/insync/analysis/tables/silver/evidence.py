"""Computes the evidence behind a verdict: what the faults did and what the agents counted."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT


def words() -> Column:
    """Return a fault in words, such as "read stall", as `insync.events.schema.fault_words` does."""
    return fn.trim(fn.concat_ws(" ", "site", "fault"))


def faults(lines: DataFrame) -> DataFrame:
    """Return one row per injected fault; `fault_no` counts from 0 within its repeat."""
    in_order = Window.partitionBy(*REPEAT).orderBy("injected_ms", "broker", "site")
    return lines.select(
        *REPEAT,
        (fn.row_number().over(in_order) - 1).alias("fault_no"),
        "fault",
        "site",
        "mode",
        "broker",
        "target",
        "injected_ms",
        "lifted_ms",
        "planned_ms",
        "calls_held",
        "held_ms",
        "longest_held_ms",
        "acted_ms",
        "figures",
    )


def agent_counters(lines: DataFrame) -> DataFrame:
    """Return the last reading of each broker's agent in each repeat.

    `errors`, `events_dropped` and `holds_granted` count from the broker's start; the columns
    `new_*` count within this repeat. The first repeat counts from the reading before it (repeat
    -1, which older runs do not have).
    """
    latest = Window.partitionBy(*REPEAT, "broker").orderBy(fn.desc("t_ms"))
    return (
        lines.withColumn("newest", fn.row_number().over(latest))
        .where(fn.col("newest") == 1)
        .select(
            *REPEAT,
            "broker",
            "enabled",
            "errors",
            "events_dropped",
            "holds_granted",
            "marks_total",
            "released_total",
            "pending_now",
            "held_now",
            "longest_hold_ms",
            "lag_policy",
            _added("errors").alias("new_errors"),
            _added("events_dropped").alias("new_events_dropped"),
            _added("holds_granted").alias("new_holds_granted"),
        )
        .where(fn.col("repeat") >= 0)
    )


def controller_agent(lines: DataFrame) -> DataFrame:
    """Return for each repeat whether the controller's agent was active, and its `new_errors`."""
    added = _added("errors", of=("run", "arm")).alias("new_errors")
    return lines.select(*REPEAT, "woven", added).where(fn.col("repeat") >= 0)


def _added(counter: str, of: tuple[str, ...] = ("run", "arm", "broker")) -> Column:
    """Return the growth since the previous repeat; a counter that fell started again at 0."""
    before = fn.lag(counter, 1, 0).over(Window.partitionBy(*of).orderBy("repeat"))
    return fn.when(fn.col(counter) >= before, fn.col(counter) - before).otherwise(fn.col(counter))


def clocks(lines: DataFrame) -> DataFrame:
    """Return how far each node's clock was ahead of the harness's, by the most exact line."""
    best = fn.min_by(fn.struct("ahead_ms", "error_ms"), "error_ms").alias("best")
    return lines.groupBy(*REPEAT, "broker").agg(best).select(*REPEAT, "broker", "best.*")
