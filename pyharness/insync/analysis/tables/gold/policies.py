"""Computes how well leaders distinguished healthy followers from faulty ones.

The controller's log says which followers were removed from an ISR and when; the fault lines say
which followers had a fault. A fault at a follower, such as a hung disk or a freeze, explains its
removal; a fault at the leader does not.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT
from insync.faults.registry import tagged


def follower_drops(shrinks: DataFrame, faults: DataFrame, lag_ms: Column) -> DataFrame:
    """Return one row per follower that was removed from an ISR, and whether it was `healthy`.

    `shrinks` and `faults` are the tables isr_shrinks and faults, `lag_ms` is
    replica.lag.time.max.ms of a row's arm. A follower is healthy unless its broker was fenced, or
    a fault at it was active or had ended at most one `lag_ms` before.
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
    """Return one row per fault at a follower, with `detected_ms` and `let_in`.

    `intervals` is the table isr_intervals. `partitions` is how many partitions with the fault the
    broker followed. `detected_ms` is the time from the start of the fault until the broker was in
    none of their ISRs, 0 if it was in none at the start; null if it stayed in one to the end.
    `let_in` is how often it joined one of them between the fault's start and its end.
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
    in_isr = fn.array_contains("isr", fn.col("broker"))
    joined = in_isr & ~fn.array_contains("before", fn.col("broker"))
    during = joined & (fn.col("start_ms") > fn.col("injected_ms"))
    earlier = fn.lag("isr").over(Window.partitionBy(*PARTITION).orderBy("start_ms"))
    return (
        faults.where(~fn.col("fault").isin(tagged("harmless")))
        .select(*REPEAT, "fault_no", "broker", "target", "injected_ms", "lifted_ms")
        .join(intervals.withColumn("before", earlier), REPEAT, "inner")
        .where(about & follows & standing)
        .groupBy(*REPEAT, "fault_no", "broker", "partition")
        .agg(out.alias("out_ms"), fn.count_if(during).alias("joins"))
        .groupBy(*REPEAT, "fault_no", "broker")
        .agg(
            fn.count(fn.lit(1)).cast("int").alias("partitions"),
            _unless_any_is_missing("out_ms").alias("detected_ms"),
            fn.sum("joins").cast("int").alias("let_in"),
        )
    )


def _unless_any_is_missing(name: str) -> Column:
    """Return the largest value of a group in which every row has one."""
    whole = fn.count(name) == fn.count(fn.lit(1))
    return fn.when(whole, fn.max(name))
