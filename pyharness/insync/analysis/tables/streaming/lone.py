"""Brokers that tell of themselves and belong to no run: their agents' events, seen as a run's.

There is no controller's log to read, and nobody says when a repeat begins. So each topic whose
ISR changed, or in which a fetch was held, is a repeat from the first event of its brokers to the
last one, and its ISR is what its leaders proposed, which the controller may have refused. In
scope `request` a fetch is held with all its partitions: those are of the topic `ALL_TOPICS`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.lines import Events
from insync.events.run_info import RunInfo

ARM = "brokers"
"""The arm of brokers that belong to none, and the run of those that do not say where they are."""
ALL_TOPICS = "(all topics)"
KEY = r"^(?:(.+)/)?(broker-\d+\.jsonl)$"
"""Of an agent's records: where its broker belongs, and the file in which they would be."""

_LAG = "$['replica.lag.time.max.ms']"
_STATES = "isr array<int>, proposed array<int>, leader_epoch int"
_CHANGES = ("isr_shrink", "isr_expand")


def lone_runs(records: DataFrame, min_isr: int) -> dict[str, RunInfo]:
    """Return brokers as runs by where they belong; `records` are theirs: folder_uri and text."""
    lag = fn.get_json_object("text", _LAG).try_cast("double")
    first = fn.get_json_object("text", "$.t_ms").try_cast("double")
    found = records.groupBy("folder_uri").agg(
        fn.coalesce(fn.min(first), fn.lit(0.0)).alias("first_ms"),
        fn.coalesce(fn.max(lag), fn.lit(30_000.0)).alias("lag_ms"),
    )
    return {row["folder_uri"]: _run(row["first_ms"], row["lag_ms"], min_isr) for row in
            found.orderBy("folder_uri").collect()}  # fmt: skip


def with_lone(events: Events, runs: Collection[str]) -> Events:
    """Return the events of all runs, with what those of lone brokers lack."""
    if not runs:
        return events
    ours = fn.col("run").isin(list(runs))
    whole = ours & (fn.col("type") == "pending_long")
    every = events.broker_events.withColumn(
        "topic", fn.when(whole, fn.coalesce("topic", fn.lit(ALL_TOPICS))).otherwise(fn.col("topic"))
    )
    told = every.where(ours)
    return replace(
        events,
        broker_events=every,
        phases=events.phases.unionByName(_phases(told), allowMissingColumns=True),
        isr=events.isr.unionByName(_isr(told), allowMissingColumns=True),
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


def _phases(told: DataFrame) -> DataFrame:
    """Return the beginning and the end of each topic's repeat."""
    spans = told.groupBy("run").agg(fn.min("t_ms").alias("from_ms"), fn.max("t_ms").alias("to_ms"))
    concerned = fn.col("type").isin(*_CHANGES, "pending_long") & fn.col("topic").isNotNull()
    topics = told.where(concerned).select("run", "arm", "topic").distinct()
    number = fn.row_number().over(Window.partitionBy("run").orderBy("topic")) - 1
    ends = fn.array(_phase("repeat_started", "from_ms"), _phase("repeat_ended", "to_ms"))
    return (
        topics.withColumn("repeat", number)
        .join(spans, "run", "inner")
        .select("run", "arm", "repeat", "topic", fn.inline(ends))
    )


def _phase(kind: str, at: str) -> Column:
    return fn.struct(fn.lit(kind).alias("type"), fn.col(at).alias("t_ms"))


def _isr(told: DataFrame) -> DataFrame:
    """Return the ISR of each partition as it was before the first change, and after each."""
    began = told.groupBy("run").agg(fn.min("t_ms").alias("from_ms"))
    changes = (
        told.where(fn.col("type").isin(*_CHANGES))
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
