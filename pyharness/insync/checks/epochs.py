"""Leaders: one per epoch, and a broker's high watermark does not go back while it lives.

Who led is told twice: by the controller's log, and by the brokers' own words when they took
the role up. The first alone would prove little, for on KRaft an epoch is counted from it.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.checks.history import PARTITION, TOPIC, TOPIC_OF_ARM, anomaly, bounded, operation

_TOPIC = [*TOPIC_OF_ARM, "partition"]


def split_epochs(isr: DataFrame, roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return a row per leader epoch of a partition that more than one broker led.

    `isr` and `roles` have the columns of the event lines, `repeats` has arm, repeat, topic.
    """
    made = isr.where((fn.col("kind") == "partition") & (fn.col("leader") >= 0)).select(
        *_TOPIC, "leader_epoch", "t_ms", fn.col("leader").alias("broker"),
        fn.lit("the controller's log").alias("source"),
    )  # fmt: skip
    took = roles.where(fn.col("role") == "leader").select(
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
        .join(fn.broadcast(repeats.select(*TOPIC)), TOPIC_OF_ARM, "inner")
    )
    return anomaly(led, "split_epoch", "offset", "offset", fn.col("operations"))


def leaders_told(isr: DataFrame, roles: DataFrame, repeats: DataFrame) -> DataFrame:
    """PARTITION of those of which both the controller and a broker told who led."""
    made = isr.where((fn.col("kind") == "partition") & (fn.col("leader") >= 0))
    took = roles.where(fn.col("role") == "leader")
    return (
        made.select(*_TOPIC)
        .distinct()
        .join(took.select(*_TOPIC).distinct(), _TOPIC, "inner")
        .join(fn.broadcast(repeats.select(*TOPIC)), TOPIC_OF_ARM, "inner")
        .select(*PARTITION)
    )


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
        .join(fn.broadcast(repeats.select(*TOPIC)), TOPIC_OF_ARM, "inner")
    )
    shown = [
        operation("lead", who="broker", offset="before", at_ms="before_ms"),
        operation("lead", who="broker", offset="high_watermark", at_ms="t_ms"),
    ]
    return anomaly(known, "watermark_back", "high_watermark", "before", shown)
