"""Adds to each produced record whether it was due within its repeat's window."""

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


def operations(produce: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per record that was due: the `produce` line, and `judged`.

    `sent_ms` is when the record was due, not when it was sent. No answer can shift it, so latencies
    that count from it show a stall in every record that was due during it. `judged` is whether the
    repeat's window had opened.
    """
    opened = fn.broadcast(repeats.select(*REPEAT, "start_ms"))
    judged = fn.coalesce(fn.col("sent_ms") >= fn.col("start_ms"), fn.lit(False))
    return (
        produce.join(opened, REPEAT, "left")
        .withColumn("judged", judged)
        .select(*PARTITION, *_PRODUCED, "judged")
    )
