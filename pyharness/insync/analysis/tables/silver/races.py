"""Computes the state of each replica in a race: the ends of its log, and its broker's fetchers."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import REPEAT

BEFORE = "before"
AFTER = "after"
REPLICA = [*REPEAT, "broker", "partition"]


def raced_replicas(samples: DataFrame) -> DataFrame:
    """Return one row per arm, repeat, broker and partition of the race's topic.

    `samples` counts the samples; `start_above_end` and `start_above_watermark` count those whose
    log start offset was above the replica's own log end offset or its own high watermark. An
    emptied log does not count for the latter until its high watermark has moved: if a follower's
    offset is out of range, Kafka 1.1 empties the log, which then begins at the leader's log start
    offset, and leaves the high watermark unchanged until the records of the next response are in
    the log. `log_start_offset` and `leo` are those after the race. The other columns are about the
    broker: its fetcher threads before and after, the partitions that failed during the race (None
    if Kafka does not count them), and the log start offsets that the agent corrected.
    """
    return (
        samples.withColumn("stale", _is_stale())
        .groupBy(*REPLICA)
        .agg(
            fn.count(fn.lit(1)).alias("samples"),
            fn.count_if(fn.col("log_start_offset") > fn.col("leo")).alias("start_above_end"),
            fn.count_if(_has_records() & _starts_above_watermark() & ~fn.col("stale")).alias(
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


def _is_stale() -> Column:
    """Return whether the high watermark is still the one from before the log was emptied."""
    so_far = Window.partitionBy(*REPLICA).orderBy("t_ms")
    empty = _starts_above_watermark() & (fn.col("log_start_offset") == fn.col("leo"))
    left = fn.last(fn.when(empty, fn.col("high_watermark")), ignorenulls=True).over(so_far)
    return fn.coalesce(fn.col("high_watermark") == left, fn.lit(False))


def _at(moment: str, column: str) -> Column:
    return fn.max(fn.when(fn.col("moment") == moment, fn.col(column)))
