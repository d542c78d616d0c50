"""What leaders did about serving too slowly, and how often one partition changed hands by it."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC_OF_ARM

DONE = "done"
WITHHELD = "withheld"


def step_downs(lines: DataFrame, repeats: DataFrame, cooldown_ms: Column) -> DataFrame:
    """One row per answered request of a leader to step down, and per decision not to ask.

    `t_ms` is when (epoch), `broker` who led, `successor` who was to lead. `outcome` is done,
    refused, failed or withheld; `in_cooldown` how many of the partition were done within one
    cool-down from this one on, itself included; null unless it was done. `cooldown_ms` is a
    column of `repeats`.
    """
    told = (
        lines.where(fn.col("type").isin("answered", WITHHELD))
        .withColumn("outcome", fn.coalesce("outcome", fn.lit(WITHHELD)))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
    )
    done = fn.col("outcome") == DONE
    in_cooldowns = Window.partitionBy(*PARTITION, done).orderBy(fn.col("t_ms") / cooldown_ms)
    soon = in_cooldowns.rangeBetween(0, 1)
    return told.select(
        *PARTITION,
        "t_ms",
        "broker",
        "leader_epoch",
        "successor",
        "isr_policy",
        "outcome",
        "reason",
        "way",
        "error",
        "pending_ms",
        "asked_ms",
        "score",
        fn.when(done, fn.count(fn.lit(1)).over(soon)).alias("in_cooldown"),
    )


def step_down_sources(lines: DataFrame, repeats: DataFrame) -> DataFrame:
    """run, arm, repeat, broker: whose events were read, without which nothing is known of it."""
    read = lines.where(fn.col("type") == "read").select("run", "arm", "broker").distinct()
    return repeats.select(*REPEAT).join(read, ["run", "arm"], "inner")
