"""Counts over time the records that were acked and that no consumer had read yet (Jepsen's unseen).

At the end of a complete repeat only lost writes are left. Before, the number shows how far the
consumer is behind, for example while the leader's reads hang.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT
from insync.analysis.tables.gold.acks import BINS


def unseen_over_time(fates: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return how many records were unseen at the end of each bin of a repeat, per partition.

    A record is unseen from its ack until its first read; in a transaction from when the commit was
    requested, if that was later. What is unseen after the repeat's end is in its last bin. Bins in
    which nothing changed are left out. `fates` as of records.record_fates.
    """
    bin_ms = fn.greatest(
        fn.ceil((fn.col("end_ms") - fn.col("start_ms")) / BINS).cast("double"), fn.lit(1.0)
    )
    windows = repeats.select(*REPEAT, "start_ms", "end_ms", bin_ms.alias("bin_ms"))
    begun = fn.greatest("done_ms", "asked_ms")
    unseen = fates.where(fn.col("acked")).select(
        *PARTITION,
        begun.alias("from_ms"),
        fn.greatest("read_ms", begun).alias("to_ms"),
        fn.col("read_ms").isNotNull().alias("was_read"),
    )
    up = fn.struct(fn.col("from_ms").alias("at_ms"), fn.lit(1).alias("step"))
    down = fn.struct(fn.col("to_ms").alias("at_ms"), fn.lit(-1).alias("step"))
    both = fn.when(fn.col("was_read"), fn.array(up, down)).otherwise(fn.array(up))
    at_ms = fn.least(fn.greatest("at_ms", "start_ms"), "end_ms") - fn.col("start_ms")
    changes = (
        unseen.select(*PARTITION, fn.inline(both))
        .join(fn.broadcast(windows), REPEAT, "inner")
        .withColumn("since_ms", fn.floor(at_ms / fn.col("bin_ms")) * fn.col("bin_ms"))
        .groupBy(*PARTITION, "since_ms", "bin_ms")
        .agg(fn.sum("step").alias("change"))
        .where(fn.col("change") != 0)
    )
    so_far = Window.partitionBy(*PARTITION).orderBy("since_ms")
    return changes.select(
        *PARTITION, "since_ms", "bin_ms", fn.sum("change").over(so_far).alias("unseen")
    )
