"""What the controller's log says about the in-sync replicas: intervals and shrinks.

A shrink is any change that removes a member. What it is put down to:
"fenced" (a removed replica's broker was fenced by then), "leader stalled: SITE" (a fault
was, or had been within one replica.lag.time.max.ms, on the partition's leader), else "lag".
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as fn

_PARTITION = ("arm", "topic", "partition")
_BROKER = ("arm", "broker")
_FOREVER = float("inf")


def _log_of(keys: tuple[str, ...]) -> WindowSpec:
    """Return the changes of one partition or broker, in the order of the controller's log."""
    return Window.partitionBy(*keys).orderBy("t_ms", "line")


def _until_next(keys: tuple[str, ...]) -> Column:
    """When the next change of the same partition or broker came (epoch ms; infinity if none)."""
    return fn.coalesce(fn.lead("t_ms").over(_log_of(keys)), fn.lit(_FOREVER))


def isr_intervals(isr: DataFrame, repeats: DataFrame) -> DataFrame:
    """One row per span in which a partition's leader and ISR stood, clipped to its repeat."""
    return (
        isr.where(fn.col("kind") == "partition")
        .withColumn("until_ms", _until_next(_PARTITION))
        .join(repeats, ["arm", "topic"], "inner")
        .select(
            "arm",
            "repeat",
            "topic",
            "partition",
            "leader",
            "leader_epoch",
            "isr",
            fn.size("isr").alias("isr_size"),
            "replicas",
            fn.greatest("t_ms", fn.col("start_ms")).alias("start_ms"),
            fn.least("until_ms", fn.col("end_ms")).alias("end_ms"),
        )
        .where(fn.col("end_ms") > fn.col("start_ms"))
    )


def isr_shrinks(isr: DataFrame, faults: DataFrame, repeats: DataFrame, lag_ms: float) -> DataFrame:
    """One row per ISR change inside a repeat that removed a member, with its cause.

    `faults` is the table of that name; `lag_ms` is replica.lag.time.max.ms. `leader` is
    the one that led before the change. `fault_no` names the fault a stall is put down to.
    """
    return (
        _removals(isr)
        .join(repeats, ["arm", "topic"], "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .join(_fenced_spans(isr), ["arm"], "left")
        .join(_stalls(faults), ["arm", "repeat"], "left")
        .withColumn("by_fence", _was_fenced())
        .withColumn("stall", fn.when(~fn.col("by_fence"), _last_stall(lag_ms)))
        .select(
            "arm",
            "repeat",
            "topic",
            "partition",
            "t_ms",
            "leader",
            "leader_epoch",
            "isr_before",
            "isr_after",
            "removed",
            fn.when(fn.col("by_fence"), fn.lit("fenced"))
            .when(fn.col("stall").isNotNull(), fn.concat(fn.lit("leader stalled: "), "stall.site"))
            .otherwise(fn.lit("lag"))
            .alias("cause"),
            fn.col("stall.fault_no").alias("fault_no"),
        )
    )


def _removals(isr: DataFrame) -> DataFrame:
    in_order = _log_of(_PARTITION)
    leader_before = fn.lag("leader").over(in_order)
    return (
        isr.where(fn.col("kind") == "partition")
        .select(
            "arm",
            "topic",
            "partition",
            "t_ms",
            fn.when(leader_before >= 0, leader_before).otherwise(fn.col("leader")).alias("leader"),
            "leader_epoch",
            fn.lag("isr").over(in_order).alias("isr_before"),
            fn.col("isr").alias("isr_after"),
        )
        .withColumn("removed", fn.array_except("isr_before", "isr_after"))
        .where(fn.size("removed") > 0)
    )


def _fenced_spans(isr: DataFrame) -> DataFrame:
    """Per arm, one array of the spans in which a broker was fenced: control events, so few."""
    span = fn.struct("broker", fn.col("t_ms").alias("from_ms"), "until_ms")
    return (
        isr.where(fn.col("kind") == "broker")
        .withColumn("until_ms", _until_next(_BROKER))
        .where("fenced")
        .groupBy("arm")
        .agg(fn.collect_list(span).alias("fences"))
    )


def _stalls(faults: DataFrame) -> DataFrame:
    """Per repeat, its faults in the order they were injected."""
    stall = fn.struct("injected_ms", "lifted_ms", "broker", "site", "fault_no")
    return faults.groupBy("arm", "repeat").agg(
        fn.array_sort(fn.collect_list(stall)).alias("stalls")
    )


def _was_fenced() -> Column:
    def holds(fence: Column) -> Column:
        removed = fn.array_contains("removed", fence["broker"])
        return removed & (fence["from_ms"] <= fn.col("t_ms")) & (fn.col("t_ms") < fence["until_ms"])

    return fn.coalesce(fn.exists("fences", holds), fn.lit(False))


def _last_stall(lag_ms: float) -> Column:
    """Return the latest fault on the leader that can still be felt at the time of the change."""

    def felt(stall: Column) -> Column:
        until = fn.coalesce(stall["lifted_ms"], fn.col("end_ms")) + fn.lit(lag_ms)
        in_time = fn.col("t_ms").between(stall["injected_ms"], until)
        return (stall["broker"] == fn.col("leader")) & in_time

    return fn.try_element_at(fn.filter("stalls", felt), fn.lit(-1))
