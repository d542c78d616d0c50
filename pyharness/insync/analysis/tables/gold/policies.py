"""How well leaders told healthy followers from those at fault: drops, detections, bursts.

Kafka's own log of the ISR says who was dropped when; the faults' lines say who was at fault.
What is at a follower is its own, be it a hung disk or a freeze; what is at the leader is not.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT
from insync.faults.registry import tagged


def follower_drops(shrinks: DataFrame, faults: DataFrame, lag_ms: Column) -> DataFrame:
    """One row per follower that left an ISR: arm, repeat, topic, partition, t_ms, replica, healthy.

    `shrinks` and `faults` are the tables isr_shrinks and faults, `lag_ms` is
    replica.lag.time.max.ms of a row's arm. A follower is healthy unless its broker was fenced, or
    a fault at it stood, or had ended within one lag.
    """
    troubles = faults.where(~fn.col("fault").isin(tagged("harmless"))).select(
        *REPEAT, "fault", "broker", "injected_ms", "lifted_ms"
    )
    drops = shrinks.withColumn("replica", fn.explode("removed"))
    felt = (fn.col("t_ms") >= fn.col("injected_ms")) & (
        fn.col("lifted_ms").isNull() | (fn.col("t_ms") <= fn.col("lifted_ms") + lag_ms)
    )
    concerned = (fn.col("broker") == fn.col("replica")) | fn.col("fault").isin(
        tagged("at_both_ends")
    )
    at_fault = fn.max(fn.coalesce(felt & concerned, fn.lit(False)))
    fenced = fn.max(fn.col("cause") == "fenced")
    return (
        drops.join(troubles, REPEAT, "left")
        .groupBy(*PARTITION, "t_ms", "replica")
        .agg((~at_fault & ~fenced).alias("healthy"))
    )


def detections(intervals: DataFrame, faults: DataFrame) -> DataFrame:
    """One row per fault at a follower: arm, repeat, fault_no, broker, partitions, detected_ms.

    `intervals` is the table isr_intervals. `partitions` is how many the broker followed that the
    fault was about. `detected_ms` is from its beginning until the broker was in none of their
    ISRs any more, 0 if it was in none to begin with; null if one of them kept it to the end.
    """
    name = fn.concat_ws("-", "topic", "partition")
    about = (fn.size("target") == 0) | fn.array_contains("target", name)
    follows = (fn.col("leader") != fn.col("broker")) & fn.array_contains(
        "replicas", fn.col("broker")
    )
    standing = (fn.col("end_ms") > fn.col("injected_ms")) & (
        fn.col("lifted_ms").isNull() | (fn.col("start_ms") < fn.col("lifted_ms"))
    )
    since = fn.greatest(fn.lit(0.0), fn.col("start_ms") - fn.col("injected_ms"))
    out = fn.min(fn.when(~fn.array_contains("isr", fn.col("broker")), since))
    return (
        faults.where(~fn.col("fault").isin(tagged("harmless")))
        .select(*REPEAT, "fault_no", "broker", "target", "injected_ms", "lifted_ms")
        .join(intervals, REPEAT, "inner")
        .where(about & follows & standing)
        .groupBy(*REPEAT, "fault_no", "broker", "partition")
        .agg(out.alias("out_ms"))
        .groupBy(*REPEAT, "fault_no", "broker")
        .agg(
            fn.count(fn.lit(1)).cast("int").alias("partitions"),
            _unless_any_is_missing("out_ms").alias("detected_ms"),
        )
    )


def _unless_any_is_missing(name: str) -> Column:
    """Return the largest value of a group in which every row has one."""
    whole = fn.count(name) == fn.count(fn.lit(1))
    return fn.when(whole, fn.max(name))


def bursts(judged: DataFrame, drops: DataFrame, planned: DataFrame) -> DataFrame:
    """One row per partition with bursts: arm, repeat, partition, records, bursts, false_alarms.

    `planned` has run, partition and records for each of them. `judged` are the produce lines
    of the repeats' windows, `drops` the table follower_drops.
    Bursts count if all of their `records` were acked; false alarms are healthy followers dropped.
    """
    whole = (
        judged.where(fn.col("offset").isNotNull())
        .join(fn.broadcast(planned), ["run", "partition"], "inner")
        .groupBy(*REPEAT, "partition", "records", fn.floor(fn.col("seq") / fn.col("records")))
        .agg(fn.count(fn.lit(1)).alias("acked"))
        .where(fn.col("acked") == fn.col("records"))
        .groupBy(*REPEAT, "partition", "records")
        .agg(fn.count(fn.lit(1)).alias("bursts"))
    )
    alarms = (
        drops.where("healthy")
        .groupBy(*REPEAT, "partition")
        .agg(fn.count(fn.lit(1)).alias("false_alarms"))
    )
    return whole.join(alarms, [*REPEAT, "partition"], "left").fillna(0, ["false_alarms"])
