"""What was acked against what was read back: nothing acked may be missing.

A record is known by its topic, partition and sequence number. It is lost if it was acked
and never read, and duplicated if it was read more than once.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.tables.acks import is_acked
from insync.tables.repeats import PARTITION

_RECORD = [*PARTITION, "seq"]
READ = (*_RECORD, "offset", "read_ms")
"""What is known of a record that was read."""


def record_fates(produce: DataFrame, consume: DataFrame) -> DataFrame:
    """run, arm, repeat, topic, partition, seq, acked, offset (of the ack), times_read."""
    acked = produce.where(is_acked()).groupBy(*_RECORD).agg(fn.min("offset").alias("offset"))
    read = consume.groupBy(*_RECORD).agg(fn.count(fn.lit(1)).alias("times_read"))
    return (
        acked.withColumn("acked", fn.lit(True))
        .join(read, _RECORD, "full")
        .select(
            *_RECORD,
            fn.coalesce("acked", fn.lit(False)).alias("acked"),
            "offset",
            fn.coalesce("times_read", fn.lit(0)).alias("times_read"),
        )
    )


def readback(fates: DataFrame, partitions: DataFrame) -> DataFrame:
    """Per partition: acked, read, lost, duplicated; all numbers of records."""
    counted = fates.groupBy(*PARTITION).agg(
        fn.count_if("acked").alias("acked"),
        fn.count_if(fn.col("times_read") > 0).alias("read"),
        fn.count_if(fn.col("acked") & (fn.col("times_read") == 0)).alias("lost"),
        fn.count_if(fn.col("times_read") > 1).alias("duplicated"),
    )
    numbers = ("acked", "read", "lost", "duplicated")
    return partitions.join(counted, PARTITION, "left").select(
        *PARTITION, *(fn.coalesce(name, fn.lit(0)).alias(name) for name in numbers)
    )


def odd_records(fates: DataFrame) -> DataFrame:
    """Return the lost and the duplicated records themselves; `fate` says which."""
    return (
        fates.withColumn(
            "fate",
            fn.when(fn.col("acked") & (fn.col("times_read") == 0), fn.lit("lost")).when(
                fn.col("times_read") > 1, fn.lit("duplicated")
            ),
        )
        .where(fn.col("fate").isNotNull())
        .select(*_RECORD, "offset", "fate", "times_read")
    )
