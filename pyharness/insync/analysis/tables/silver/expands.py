"""Finds the ISR changes that added a member, and the shrink that each of them reverts."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, PARTITION_OF_ARM, TOPIC_OF_ARM
from insync.analysis.tables.silver.isr import log_of

_JOINED = [*PARTITION, "t_ms", "replica", "line"]


def isr_expands(isr: DataFrame, shrinks: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per replica that joined an ISR within a repeat, with the `leader`.

    `out_ms` is how long it was not in the ISR; `cause` and `site` are those of the shrink that
    removed it (table isr_shrinks); null if it was not in the ISR when the repeat began.
    """
    before = fn.lag("isr").over(log_of(PARTITION_OF_ARM))
    added = (
        isr.where(fn.col("kind") == "partition")
        .withColumn("added", fn.array_except("isr", before))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .select(*PARTITION, "t_ms", "leader", "line", fn.explode("added").alias("replica"))
    )
    removed = shrinks.select(
        *PARTITION,
        fn.explode("removed").alias("replica"),
        fn.col("t_ms").alias("out_since_ms"),
        "cause",
        "site",
    )
    of_member = [*PARTITION, "replica"]
    latest = Window.partitionBy(*_JOINED).orderBy(fn.desc_nulls_last("out_since_ms"))
    earlier = fn.col("out_since_ms") <= fn.col("t_ms")
    known = removed.join(added.select(*_JOINED), of_member, "inner").where(earlier)
    last = known.withColumn("nth", fn.row_number().over(latest)).where(fn.col("nth") == 1)
    return added.join(last.drop("nth"), _JOINED, "left").select(
        *PARTITION,
        "replica",
        "t_ms",
        "leader",
        (fn.col("t_ms") - fn.col("out_since_ms")).alias("out_ms"),
        "cause",
        "site",
        "line",
    )
