"""Lists the step-downs of leaders that served too slowly, and counts those within a cool-down."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC_OF_ARM

DONE = "done"
WITHHELD = "withheld"


def step_downs(lines: DataFrame, repeats: DataFrame, cooldown_ms: Column) -> DataFrame:
    """Return one row per answered request of a leader to step down, and per decision not to ask.

    `t_ms` is the time (epoch), `broker` the leader, `successor` the proposed leader. `outcome` is
    done, refused, failed or withheld. `in_cooldown` is how many step-downs of the partition were
    done within one cool-down from this one on, including it; null if this one was not done.
    `cooldown_ms` is a column of `repeats`.
    """
    decided = (
        lines.where(fn.col("type").isin("answered", WITHHELD))
        .withColumn("outcome", fn.coalesce("outcome", fn.lit(WITHHELD)))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
    )
    done = fn.col("outcome") == DONE
    in_cooldowns = Window.partitionBy(*PARTITION, done).orderBy(fn.col("t_ms") / cooldown_ms)
    soon = in_cooldowns.rangeBetween(0, 1)
    return decided.withColumn("in_cooldown", fn.when(done, fn.count(fn.lit(1)).over(soon)))


def step_down_sources(lines: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the brokers of each repeat whose step-down events were read; others are unknown."""
    read = lines.where(fn.col("type") == "read").select("run", "arm", "broker").distinct()
    return repeats.select(*REPEAT).join(read, ["run", "arm"], "inner")
