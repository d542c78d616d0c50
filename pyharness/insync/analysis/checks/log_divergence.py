"""Finds log divergence: replicas whose logs differ after every fault has been lifted.

The logs are compared batch by batch, up to the last offset that a consumer read. The first pass
computes a checksum per replica and range of offsets, which leaves few rows; the second compares
the batches of the ranges that differ. A line that is recorded twice makes the checksums of its
range differ; the second pass then finds that the batches are equal.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.comparable import WHOLE
from insync.analysis.checks.history import PARTITION, anomaly_rows, bounded, operation

NAME = "log-divergence"
RANGE = 4096
"""How many offsets one checksum covers."""

_CONTENT = [
    "base_offset", "last_offset", "leader_epoch", "producer_id", "producer_epoch",
    "base_sequence", "crc", "bytes", "transactional", "control", "valid",
]  # fmt: skip


def find(comparable: DataFrame, batches: DataFrame) -> DataFrame:
    """Return a row per partition whose logs differ, at the first differing offset.

    `batches` has the columns of the event lines; `comparable` is the result of the function of that
    name. A row shows the batches that the replicas have there; a replica without one is not shown.
    """
    bounds = comparable.where("whole").select(*PARTITION, "replicas", "from_offset", "to_offset")
    inside = fn.col("base_offset").between(fn.col("from_offset"), fn.col("to_offset") - 1)
    compared = (
        batches.join(fn.broadcast(bounds), PARTITION, "inner")
        .where(inside)
        .withColumn("range", fn.expr(f"base_offset div {RANGE}"))
        .withColumn("content", fn.xxhash64(*_CONTENT))
    )
    return _missing_all(batches, bounds).unionByName(_first_difference(compared))


def _first_difference(compared: DataFrame) -> DataFrame:
    ranges = _differing_ranges(compared).select(*PARTITION, "range")
    suspects = compared.join(fn.broadcast(ranges), [*PARTITION, "range"], "left_semi")
    batch = operation(
        "batch", who="replica", seq="base_sequence", offset="base_offset", note=_description()
    )
    differing = (
        suspects.groupBy(*PARTITION, "base_offset", "replicas")
        .agg(
            fn.count_distinct("replica").alias("held_by"),
            *_bounds_of("content"),
            fn.min("valid").alias("valid"),
            bounded(fn.collect_set(batch)).alias("operations"),
            fn.max("last_offset").alias("last_offset"),
        )
        .where(_differ("held_by", "content") | ~fn.col("valid"))
    )
    found = differing.groupBy(*PARTITION).agg(
        fn.min_by("operations", "base_offset").alias("operations"),
        fn.min("base_offset").alias("offset"),
        fn.min_by("last_offset", "base_offset").alias("last_offset"),
    )
    return anomaly_rows(found, NAME, "offset", "last_offset", fn.col("operations"))


def _differing_ranges(compared: DataFrame) -> DataFrame:
    """Return PARTITION and range of the ranges whose checksums differ between replicas."""
    checksums = compared.groupBy(*PARTITION, "replicas", "range", "replica").agg(
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
    """Return the partitions from which consumers read although no log holds a batch."""
    without = bounds.where(fn.col("to_offset") > fn.col("from_offset")).join(
        batches.select(*PARTITION).distinct(), PARTITION, "left_anti"
    )
    read = operation("read", offset="last", note=fn.lit("no replica holds a batch"))
    rows = without.withColumn("last", fn.col("to_offset") - 1)
    return anomaly_rows(rows, NAME, "from_offset", "last", [read])


def _bounds_of(column: str) -> tuple[Column, Column]:
    return fn.min(column).alias(f"low_{column}"), fn.max(column).alias(f"high_{column}")


def _differ(held_by: str, *columns: str) -> Column:
    """Return whether a replica lacks the rows, or replicas differ in one of the columns."""
    found = fn.col(held_by) < fn.col("replicas")
    for column in columns:
        found = found | (fn.col(f"low_{column}") < fn.col(f"high_{column}"))
    return found


def _description() -> Column:
    return fn.concat(
        fn.lit("to "), "last_offset", fn.lit(", epoch "), "leader_epoch",
        fn.lit(", CRC "), "crc", fn.lit(", "), "bytes", fn.lit(" bytes"),
        fn.when(fn.col("valid"), fn.lit("")).otherwise(fn.lit(", broken")),
    )  # fmt: skip


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="replicas' logs differ",
        meaning="The replicas' logs of a partition differ, or the CRC of a batch does not match "
        "its bytes.",
        shown_by="the batches of all replicas at the first differing offset",
        by=Check(find, ("comparable",), ("batches.lines",)),
        metric="diverged",
        known=WHOLE,
        known_if="the log of every replica was read",
    ),
)
