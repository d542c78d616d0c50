"""Finds split epochs: leader epochs of a partition with more than one leader.

There are two independent sources: the controller's log, and the brokers' own logs of when they
became leader. The controller's log alone would prove little, because on KRaft it also assigns
the epochs.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import (
    PARTITION,
    PARTITION_OF_ARM,
    anomaly_rows,
    bounded,
    operation,
    with_repeat,
)

NAME = "split-epoch"


def find(repeats: DataFrame, isr: DataFrame, roles: DataFrame) -> DataFrame:
    """Return a row per leader epoch of a partition that more than one broker led.

    `isr` and `roles` have the columns of the event lines, `repeats` has arm, repeat, topic.
    """
    elected = _of_controller(isr).select(
        *PARTITION_OF_ARM, "leader_epoch", "t_ms", fn.col("leader").alias("broker"),
        fn.lit("the controller's log").alias("source"),
    )  # fmt: skip
    led = _of_brokers(roles).select(
        *PARTITION_OF_ARM, "leader_epoch", "t_ms", "broker",
        fn.lit("the broker's log").alias("source"),
    )  # fmt: skip
    note = fn.concat(fn.lit("epoch "), "leader_epoch", fn.lit(", "), "source")
    split = (
        elected.unionByName(led)
        .groupBy(*PARTITION_OF_ARM, "leader_epoch")
        .agg(
            fn.min("broker").alias("lowest"),
            fn.max("broker").alias("highest"),
            bounded(fn.collect_set(operation("lead", who="broker", at_ms="t_ms", note=note))).alias(
                "operations"
            ),
            fn.lit(None).alias("offset"),
        )
        .where(fn.col("lowest") < fn.col("highest"))
    )
    return anomaly_rows(with_repeat(split, repeats), NAME, "offset", "offset", fn.col("operations"))


def known(repeats: DataFrame, isr: DataFrame, roles: DataFrame) -> DataFrame:
    """Return the partitions whose leaders both the controller and a broker recorded."""
    elected = _of_controller(isr).select(*PARTITION_OF_ARM).distinct()
    led = _of_brokers(roles).select(*PARTITION_OF_ARM).distinct()
    both = elected.join(led, [*PARTITION_OF_ARM], "inner")
    return with_repeat(both, repeats).select(*PARTITION)


def _of_controller(isr: DataFrame) -> DataFrame:
    """Return the lines of the controller's log about partitions that have a leader."""
    return isr.where((fn.col("kind") == "partition") & (fn.col("leader") >= 0))


def _of_brokers(roles: DataFrame) -> DataFrame:
    return roles.where(fn.col("role") == "leader")


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="two leaders in one epoch",
        meaning="Two brokers led a partition in one leader epoch.",
        shown_by="the leaders, each with its source: the controller's log or the broker's own",
        by=Check(find, ("repeats",), ("isr.lines", "roles.lines")),
        metric="split_epochs",
        known=Check(known, ("repeats",), ("isr.lines", "roles.lines")),
        known_if="both sources name a leader of every partition",
    ),
)
