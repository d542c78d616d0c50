"""Leaders: one per epoch, and a broker's high watermark does not go back while it lives.

Who led is told twice: by the controller's log, and by the brokers' own words when they took
the role up. The first alone would prove little, for on KRaft an epoch is counted from it.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import (
    PARTITION,
    TOPIC,
    TOPIC_OF_ARM,
    anomaly,
    bounded,
    operation,
)

_TOPIC = [*TOPIC_OF_ARM, "partition"]


def split_epochs(isr: DataFrame, roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return a row per leader epoch of a partition that more than one broker led.

    `isr` and `roles` have the columns of the event lines, `repeats` has arm, repeat, topic.
    """
    made = _made(isr).select(
        *_TOPIC, "leader_epoch", "t_ms", fn.col("leader").alias("broker"),
        fn.lit("the controller's log").alias("source"),
    )  # fmt: skip
    took = _took(roles).select(
        *_TOPIC, "leader_epoch", "t_ms", "broker", fn.lit("the broker's log").alias("source")
    )
    note = fn.concat(fn.lit("epoch "), "leader_epoch", fn.lit(", "), "source")
    led = (
        made.unionByName(took)
        .groupBy(*_TOPIC, "leader_epoch")
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
    return anomaly(
        _of_repeats(led, repeats), "split_epoch", "offset", "offset", fn.col("operations")
    )


def leaders_told(isr: DataFrame, roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """PARTITION of those of which both the controller and a broker told who led."""
    made, took = _made(isr).select(*_TOPIC).distinct(), _took(roles).select(*_TOPIC).distinct()
    return _of_repeats(made.join(took, _TOPIC, "inner"), repeats).select(*PARTITION)


def watermarks_told(roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """PARTITION of those of which a broker told its high watermark when it took up a role."""
    told = roles.where(fn.col("high_watermark").isNotNull()).select(*_TOPIC).distinct()
    return _of_repeats(told, repeats).select(*PARTITION)


def watermarks_back(roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return a row per time that a broker took up a role with less of a high watermark than before.

    Within one life of the broker: a new one begins with what its checkpoint held. `roles` has
    the columns of the event lines and `line`, the order within a broker's log.
    """
    of_broker = Window.partitionBy(*_TOPIC, "broker", "life").orderBy("line")
    known = (
        roles.where(fn.col("high_watermark").isNotNull())
        .withColumn("before", fn.lag("high_watermark").over(of_broker))
        .withColumn("before_ms", fn.lag("t_ms").over(of_broker))
        .where(fn.col("high_watermark") < fn.col("before"))
    )
    shown = [
        operation("lead", who="broker", offset="before", at_ms="before_ms"),
        operation("lead", who="broker", offset="high_watermark", at_ms="t_ms"),
    ]
    return anomaly(_of_repeats(known, repeats), "watermark_back", "high_watermark", "before", shown)


def _made(isr: DataFrame) -> DataFrame:
    """Return what the controller's log says of partitions that somebody leads."""
    return isr.where((fn.col("kind") == "partition") & (fn.col("leader") >= 0))


def _took(roles: DataFrame) -> DataFrame:
    return roles.where(fn.col("role") == "leader")


def _of_repeats(rows: DataFrame, repeats: DataFrame) -> DataFrame:
    """Add the repeat, which the topic tells; what is of another topic is nobody's here."""
    return rows.join(fn.broadcast(repeats.select(*TOPIC)), TOPIC_OF_ARM, "inner")
