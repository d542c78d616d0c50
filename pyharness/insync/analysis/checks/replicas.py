"""The replicas' logs after healing: batch by batch the same, up to what consumers could see.

First a checksum per range of offsets and replica, which is one pass and leaves little; only
ranges that differ are looked at batch by batch. A line that stands there twice makes its range
differ, and then is found to be no difference.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, TOPIC_OF_ARM, anomaly, bounded, operation

RANGE = 4096
"""Offsets of one checksum."""

_CONTENT = [
    "base_offset", "last_offset", "leader_epoch", "producer_id", "producer_epoch",
    "base_sequence", "crc", "bytes", "transactional", "control", "valid",
]  # fmt: skip


def comparable(replica_logs: DataFrame, consume: DataFrame, isr: DataFrame) -> DataFrame:
    """Per partition, what can be compared: replicas, logs_read, from_offset, to_offset, whole.

    `replicas` is how many the controller's log names, `logs_read` how many logs were read to
    their end. Compared is from the offset at which all logs have begun to the one behind the
    last that was read: that one was below the high watermark, and every replica that has
    healed has it. `whole` if every replica's log was read and something was consumed.
    """
    named = (
        isr.where(fn.col("kind") == "partition")
        .groupBy(*TOPIC_OF_ARM, "partition")
        .agg(fn.max(fn.size("replicas")).alias("replicas"))
    )
    read = consume.groupBy(*PARTITION).agg((fn.max("offset") + 1).alias("to_offset"))
    whole = (fn.col("logs_read") == fn.col("replicas")) & fn.col("to_offset").isNotNull()
    return (
        replica_logs.groupBy(*PARTITION)
        .agg(
            fn.count_distinct(fn.when(fn.col("problem").isNull(), fn.col("replica"))).alias(
                "logs_read"
            ),
            fn.max("start_offset").alias("from_offset"),
        )
        .join(named, [*TOPIC_OF_ARM, "partition"], "left")
        .join(read, PARTITION, "left")
        .select(
            *PARTITION,
            "replicas",
            "logs_read",
            "from_offset",
            "to_offset",
            fn.coalesce(whole, fn.lit(False)).alias("whole"),
        )
    )


def diverged(batches: DataFrame, comparable: DataFrame) -> DataFrame:
    """Return a row per partition whose logs differ, at the first differing offset.

    `batches` has the columns of the event lines, `comparable` those of the function. Shown are
    the batches that the replicas have there; one that is not named has none.
    """
    bounds = comparable.where("whole").drop("whole", "logs_read")
    inside = fn.col("base_offset").between(fn.col("from_offset"), fn.col("to_offset") - 1)
    judged = (
        batches.join(fn.broadcast(bounds), PARTITION, "inner")
        .where(inside)
        .withColumn("range", fn.expr(f"base_offset div {RANGE}"))
        .withColumn("content", fn.xxhash64(*_CONTENT))
    )
    return _missing_all(batches, bounds).unionByName(_first_difference(judged))


def _first_difference(judged: DataFrame) -> DataFrame:
    ranges = _differing_ranges(judged).select(*PARTITION, "range")
    looked_at = judged.join(fn.broadcast(ranges), [*PARTITION, "range"], "left_semi")
    batch = operation(
        "batch", who="replica", seq="base_sequence", offset="base_offset", note=_words()
    )
    places = (
        looked_at.groupBy(*PARTITION, "base_offset", "replicas")
        .agg(
            fn.count_distinct("replica").alias("held_by"),
            *_bounds_of("content"),
            fn.min("valid").alias("valid"),
            bounded(fn.collect_set(batch)).alias("operations"),
            fn.max("last_offset").alias("last_offset"),
        )
        .where(_differ("held_by", "content") | ~fn.col("valid"))
    )
    found = places.groupBy(*PARTITION).agg(
        fn.min_by("operations", "base_offset").alias("operations"),
        fn.min("base_offset").alias("offset"),
        fn.min_by("last_offset", "base_offset").alias("last_offset"),
    )
    return anomaly(found, "diverged", "offset", "last_offset", fn.col("operations"))


def _differing_ranges(judged: DataFrame) -> DataFrame:
    """PARTITION, range of those whose checksums are not the same on all replicas."""
    checksums = judged.groupBy(*PARTITION, "replicas", "range", "replica").agg(
        fn.bit_xor("content").alias("checksum"),
        fn.count(fn.lit(1)).alias("batches"),
        fn.min("valid").alias("valid"),
    )
    return (
        checksums.groupBy(*PARTITION, "replicas", "range")
        .agg(
            fn.count(fn.lit(1)).alias("held_by"),
            *_bounds_of("checksum"),
            *_bounds_of("batches"),
            fn.min("valid").alias("valid"),
        )
        .where(_differ("held_by", "checksum", "batches") | ~fn.col("valid"))
    )


def _missing_all(batches: DataFrame, bounds: DataFrame) -> DataFrame:
    """Return the partitions of which consumers read, and no log holds a batch."""
    without = bounds.where(fn.col("to_offset") > fn.col("from_offset")).join(
        batches.select(*PARTITION).distinct(), PARTITION, "left_anti"
    )
    read = operation("read", offset="last", note=fn.lit("no replica holds a batch"))
    rows = without.withColumn("last", fn.col("to_offset") - 1)
    return anomaly(rows, "diverged", "from_offset", "last", [read])


def _bounds_of(column: str) -> tuple[Column, Column]:
    return fn.min(column).alias(f"low_{column}"), fn.max(column).alias(f"high_{column}")


def _differ(held_by: str, *columns: str) -> Column:
    """Whether not all replicas hold something, or not all the same."""
    found = fn.col(held_by) < fn.col("replicas")
    for column in columns:
        found = found | (fn.col(f"low_{column}") < fn.col(f"high_{column}"))
    return found


def _words() -> Column:
    return fn.concat(
        fn.lit("to "), "last_offset", fn.lit(", epoch "), "leader_epoch",
        fn.lit(", CRC "), "crc", fn.lit(", "), "bytes", fn.lit(" bytes"),
        fn.when(fn.col("valid"), fn.lit("")).otherwise(fn.lit(", broken")),
    )  # fmt: skip
