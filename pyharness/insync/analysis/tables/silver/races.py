"""What became of each replica in a race: where its log begins and ends, and of its fetcher."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT

BEFORE = "before"
AFTER = "after"
REPLICA = [*REPEAT, "broker", "partition"]


def raced_replicas(samples: DataFrame) -> DataFrame:
    """One row per arm, repeat, broker and partition of the race's topic.

    `samples` is how many there were, and `start_above_end` and `start_above_watermark` in how
    many of them the log start offset was above the replica's own log end offset, or its own high
    watermark. A log that was started anew does not count for the latter until its watermark has
    moved: where a follower's offset is out of range, Kafka 1.1 empties its log, which begins at
    the leader's log start offset then, and leaves the high watermark behind until the next
    answer's records are in the log. `log_start_offset` and `leo` are the last; the rest
    is of the broker: fetcher threads before and after, partitions given up meanwhile (None where
    Kafka does not count them), and log start offsets put right by the agent.
    """
    return (
        samples.withColumn("left_behind", _left_behind())
        .groupBy(*REPLICA)
        .agg(
            fn.count(fn.lit(1)).alias("samples"),
            fn.count_if(fn.col("log_start_offset") > fn.col("leo")).alias("start_above_end"),
            fn.count_if(_has_records() & _starts_above_watermark() & ~fn.col("left_behind")).alias(
                "start_above_watermark"
            ),
            _at(AFTER, "log_start_offset").alias("log_start_offset"),
            _at(AFTER, "leo").alias("leo"),
            _at(BEFORE, "fetchers").alias("fetchers_before"),
            _at(AFTER, "fetchers").alias("fetchers_after"),
            (_at(AFTER, "failed_partitions") - _at(BEFORE, "failed_partitions")).alias("failed"),
            (_at(AFTER, "put_right") - _at(BEFORE, "put_right")).alias("put_right"),
        )
    )


def _has_records() -> Column:
    return fn.col("log_start_offset") < fn.col("leo")


def _starts_above_watermark() -> Column:
    return fn.col("log_start_offset") > fn.col("high_watermark")


def _left_behind() -> Column:
    """Whether the high watermark is still the one that a log left behind when it was emptied."""
    so_far = Window.partitionBy(*REPLICA).orderBy("t_ms")
    empty = _starts_above_watermark() & (fn.col("log_start_offset") == fn.col("leo"))
    left = fn.last(fn.when(empty, fn.col("high_watermark")), ignorenulls=True).over(so_far)
    return fn.coalesce(fn.col("high_watermark") == left, fn.lit(False))


def _at(moment: str, column: str) -> Column:
    return fn.max(fn.when(fn.col("moment") == moment, fn.col(column)))
