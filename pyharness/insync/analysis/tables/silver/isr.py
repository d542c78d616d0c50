"""Computes intervals of constant leader and ISR from the controller's log."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, PARTITION_OF_ARM, TOPIC_OF_ARM

BROKER_OF_ARM = ("run", "arm", "broker")
_FOREVER = float("inf")


def log_of(keys: tuple[str, ...]) -> WindowSpec:
    """Return a window over one partition or broker, in the order of the controller's log."""
    return Window.partitionBy(*keys).orderBy("t_ms", "line")


def until_next(keys: tuple[str, ...]) -> Column:
    """Return the time of the next change of the partition or broker (epoch; infinity if none)."""
    return fn.coalesce(fn.lead("t_ms").over(log_of(keys)), fn.lit(_FOREVER))


def isr_intervals(isr: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the intervals of constant leader and ISR per partition, clipped to their repeat."""
    return (
        isr.where(fn.col("kind") == "partition")
        .withColumn("until_ms", until_next(PARTITION_OF_ARM))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .select(
            *PARTITION,
            "leader",
            "leader_epoch",
            "isr",
            fn.size("isr").alias("isr_size"),
            "replicas",
            "adding",
            fn.greatest("t_ms", fn.col("start_ms")).alias("start_ms"),
            fn.least("until_ms", fn.col("end_ms")).alias("end_ms"),
        )
        .where(fn.col("end_ms") > fn.col("start_ms"))
    )
