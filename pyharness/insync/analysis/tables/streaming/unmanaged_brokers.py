"""Presents the events of brokers that no run manages as the events of a run.

Agents of such brokers publish events, but there is no controller's log, and no line marks the start
of a repeat. So each topic with an ISR change or a long-pending fetch becomes a repeat, from the
first event of its brokers to the last one. Its ISR is what its leaders proposed, which the
controller may have refused. In scope `request` a fetch is pending with all its partitions; these
are assigned to the topic `ALL_TOPICS`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.lines import Events
from insync.events.run_info import RunInfo

ARM = "brokers"
"""The arm of unmanaged brokers, and the run of those whose key names no group."""
ALL_TOPICS = "(all topics)"
KEY = r"^(?:(.+)/)?(broker-\d+\.jsonl)$"
"""The key of an agent's records: the broker's group, if any, and the name of an event file."""

_LAG = "$['replica.lag.time.max.ms']"
_STATES = "isr array<int>, proposed array<int>, leader_epoch int"
_CHANGES = ("isr_shrink", "isr_expand")


def unmanaged_runs(records: DataFrame, min_isr: int) -> dict[str, RunInfo]:
    """Return a run for each group of brokers; `records` are their folder_uri and text."""
    lag = fn.get_json_object("text", _LAG).try_cast("double")
    first = fn.get_json_object("text", "$.t_ms").try_cast("double")
    found = records.groupBy("folder_uri").agg(
        fn.coalesce(fn.min(first), fn.lit(0.0)).alias("first_ms"),
        fn.coalesce(fn.max(lag), fn.lit(30_000.0)).alias("lag_ms"),
    )
    return {row["folder_uri"]: _run(row["first_ms"], row["lag_ms"], min_isr) for row in
            found.orderBy("folder_uri").collect()}  # fmt: skip


def with_unmanaged(events: Events, runs: Collection[str]) -> Events:
    """Add the phases and ISR lines that the events of unmanaged brokers lack to all events."""
    if not runs:
        return events
    ours = fn.col("run").isin(list(runs))
    whole = ours & (fn.col("type") == "pending_long")
    every = events.broker_events.withColumn(
        "topic", fn.when(whole, fn.coalesce("topic", fn.lit(ALL_TOPICS))).otherwise(fn.col("topic"))
    )
    unmanaged = every.where(ours)
    return replace(
        events,
        broker_events=every,
        phases=events.phases.unionByName(_phases(unmanaged), allowMissingColumns=True),
        isr=events.isr.unionByName(_isr(unmanaged), allowMissingColumns=True),
    )


def _run(first_ms: float, lag_ms: float, min_isr: int) -> RunInfo:
    return RunInfo.model_validate(
        {
            "scenario_name": ARM,
            "scenario": {
                "min_insync_replicas": min_isr,
                "broker": {"replica_lag_time_max_ms": lag_ms},
                "workload": {"leaders": [0]},
            },
            "kafka": "",
            "scale": 1,
            "seed": 0,
            "arms": [ARM],
            "repeats": 1,
            "started_ms": first_ms,
        }
    )


def _phases(lines: DataFrame) -> DataFrame:
    """Return the start and end lines of each topic's repeat."""
    spans = lines.groupBy("run").agg(fn.min("t_ms").alias("from_ms"), fn.max("t_ms").alias("to_ms"))
    concerned = fn.col("type").isin(*_CHANGES, "pending_long") & fn.col("topic").isNotNull()
    topics = lines.where(concerned).select("run", "arm", "topic").distinct()
    number = fn.row_number().over(Window.partitionBy("run").orderBy("topic")) - 1
    ends = fn.array(_phase("repeat_started", "from_ms"), _phase("repeat_ended", "to_ms"))
    return (
        topics.withColumn("repeat", number)
        .join(spans, "run", "inner")
        .select("run", "arm", "repeat", "topic", fn.inline(ends))
    )


def _phase(kind: str, at: str) -> Column:
    return fn.struct(fn.lit(kind).alias("type"), fn.col(at).alias("t_ms"))


def _isr(lines: DataFrame) -> DataFrame:
    """Return the ISR of each partition before its first change, and after each change."""
    began = lines.groupBy("run").agg(fn.min("t_ms").alias("from_ms"))
    changes = (
        lines.where(fn.col("type").isin(*_CHANGES))
        .withColumn("state", fn.from_json("body", _STATES))
        .join(began, "run", "inner")
    )
    in_order = Window.partitionBy("run", "topic", "partition").orderBy("t_ms", "broker", "line")
    numbered = changes.withColumn("nth", fn.row_number().over(in_order))
    before = numbered.where("nth = 1").select(
        *_state("from_ms", "isr"), fn.lit(0).cast("long").alias("line")
    )
    after = numbered.select(*_state("t_ms", "proposed"), fn.col("nth").cast("long").alias("line"))
    return before.unionByName(after)


def _state(at: str, members: str) -> tuple[Column, ...]:
    return (
        fn.col("run"), fn.col("arm"), fn.col(at).alias("t_ms"), fn.lit("partition").alias("kind"),
        fn.col("topic"), fn.col("partition"), fn.col("broker").alias("leader"),
        fn.col("state.leader_epoch").alias("leader_epoch"), fn.col(f"state.{members}").alias("isr"),
    )  # fmt: skip
