"""Adds to each produced record the leader of its partition when it was due."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT

_PRODUCED = (
    "seq",
    "sent_ms",
    "done_ms",
    "latency_ms",
    "error",
    "offset",
    "producer",
    "idempotent",
    "transaction",
)


def operations(produce: DataFrame, intervals: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per record that was due: the `produce` line, the leader, and `judged`.

    `sent_ms` is when the record was due, not when it was sent. No answer can shift it, so latencies
    that count from it show a stall in every record that was due during it. `leader` was the leader
    then; null if there was none or it is not known. `judged` is whether the repeat's window had
    opened. `intervals` is the table isr_intervals.
    """
    led = intervals.where(fn.col("leader") >= 0).select(
        *(fn.col(key).alias(f"led_{key}") for key in PARTITION),
        "leader",
        fn.col("start_ms").alias("from_ms"),
        fn.col("end_ms").alias("to_ms"),
    )
    opened = repeats.select(*REPEAT, "start_ms")
    due = fn.col("sent_ms")
    then = [fn.col(key) == fn.col(f"led_{key}") for key in PARTITION]
    then += [due >= fn.col("from_ms"), due < fn.col("to_ms")]
    return (
        produce.select(*PARTITION, *_PRODUCED)
        .join(fn.broadcast(led), then, "left")
        .join(fn.broadcast(opened), REPEAT, "left")
        .withColumn("judged", fn.coalesce(due >= fn.col("start_ms"), fn.lit(False)))
        .select(*PARTITION, *_PRODUCED, "leader", "judged")
    )
