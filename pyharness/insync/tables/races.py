"""What became of each replica in a race: where its log begins and ends, and of its fetcher."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.checks.history import REPEAT

BEFORE = "before"
AFTER = "after"


def raced_replicas(samples: DataFrame) -> DataFrame:
    """One row per arm, repeat, broker and partition of the race's topic.

    `samples` is how many there were, and `start_above_end` and `start_above_watermark` in how
    many of them the log start offset was above the replica's own log end offset, or its own high
    watermark. An empty log does not count for the latter: where a follower's offset is out of
    range, Kafka 1.1 starts its log anew at the leader's log start offset, and leaves the high
    watermark behind until the next answer. `log_start_offset` and `leo` are the last; the rest
    is of the broker: fetcher threads before and after, partitions given up meanwhile (None where
    Kafka does not count them), and log start offsets put right by the agent.
    """
    return samples.groupBy(*REPEAT, "broker", "partition").agg(
        fn.count(fn.lit(1)).alias("samples"),
        fn.count_if(fn.col("log_start_offset") > fn.col("leo")).alias("start_above_end"),
        fn.count_if(_has_records() & (fn.col("log_start_offset") > fn.col("high_watermark"))).alias(
            "start_above_watermark"
        ),
        _at(AFTER, "log_start_offset").alias("log_start_offset"),
        _at(AFTER, "leo").alias("leo"),
        _at(BEFORE, "fetchers").alias("fetchers_before"),
        _at(AFTER, "fetchers").alias("fetchers_after"),
        (_at(AFTER, "failed_partitions") - _at(BEFORE, "failed_partitions")).alias("failed"),
        (_at(AFTER, "put_right") - _at(BEFORE, "put_right")).alias("put_right"),
    )


def _has_records() -> Column:
    return fn.col("log_start_offset") < fn.col("leo")


def _at(moment: str, column: str) -> Column:
    return fn.max(fn.when(fn.col("moment") == moment, fn.col(column)))
