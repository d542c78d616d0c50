"""Computes end-to-end latency: from when a record was due until a consumer had read it."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION
from insync.analysis.tables.gold.acks import PERMILLE, and_whole
from insync.analysis.tables.gold.quantiles import histogram, merged, percentiles


def end_to_end(fates: DataFrame) -> DataFrame:
    """Return counts and percentiles (ms) per partition, and per repeat (`partition` null).

    The first read of a record counts, by a consumer without a group. Transactional records, which
    wait for their commit, do not count. `fates` as of records.record_fates.
    """
    read = fates.where(fn.col("sent_ms").isNotNull() & fn.col("transaction").isNull())
    took = read.where(fn.col("read_ms").isNotNull()).withColumn(
        "took_ms", fn.greatest(fn.col("read_ms") - fn.col("sent_ms"), fn.lit(0.0))
    )
    counted = and_whole(histogram(took, "took_ms", PARTITION))
    return percentiles(
        merged(counted, PARTITION), PARTITION, PERMILLE, fn.sum("records").alias("read")
    )
