"""Finds high watermarks that went back on a broker that led a partition.

A leader's high watermark never goes back, so the broker's next role begins with at least the one
with which it became leader. A follower's may go back: it takes over the new leader's, which may be
lower than the one that it had as leader itself, because followers learn of it one fetch later.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import (
    PARTITION,
    PARTITION_OF_ARM,
    anomaly_rows,
    operation,
    with_repeat,
)

NAME = "nonmonotonic-high-watermark"


def find(roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return a row per role that a former leader began with a lower high watermark than it led.

    It is compared with the one with which the broker had become leader. Only roles of one life of
    the broker (from its start to its stop) are compared: after a restart the broker begins with
    what its checkpoint holds. `roles` has the columns of the event lines and `line`, the order
    within a broker's log.
    """
    of_broker = Window.partitionBy(*PARTITION_OF_ARM, "broker", "life").orderBy("line")
    lower = (
        _with_watermark(roles)
        .withColumn("before", fn.lag("high_watermark").over(of_broker))
        .withColumn("before_ms", fn.lag("t_ms").over(of_broker))
        .withColumn("role_before", fn.lag("role").over(of_broker))
        .where(fn.col("role_before") == "leader")
        .where(fn.col("high_watermark") < fn.col("before"))
    )
    shown = [
        operation("lead", who="broker", offset="before", at_ms="before_ms"),
        operation("lead", who="broker", offset="high_watermark", at_ms="t_ms"),
    ]
    return anomaly_rows(with_repeat(lower, repeats), NAME, "high_watermark", "before", shown)


def known(roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the partitions whose high watermark a broker logged when it began a role."""
    logged = _with_watermark(roles).select(*PARTITION_OF_ARM).distinct()
    return with_repeat(logged, repeats).select(*PARTITION)


def _with_watermark(roles: DataFrame) -> DataFrame:
    return roles.where(fn.col("high_watermark").isNotNull())


_READS = ("roles.lines", "repeats")

ANOMALIES = (
    Anomaly(
        name=NAME,
        label="high watermark went back",
        meaning="A broker that had become leader began its next role (leader or follower) with a "
        "lower high watermark, without a restart between them.",
        shown_by="the two roles",
        by=Check(find, _READS),
        metric="watermarks_back",
        known=Check(known, _READS),
        known_if="the brokers log it, which they do from 2.8 on",
    ),
)
