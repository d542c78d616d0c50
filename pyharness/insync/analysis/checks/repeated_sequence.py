"""Finds repeated sequences: sequence numbers of an idempotent producer at two places of a log.

Each record of an idempotent producer has the next sequence number of its producer id, epoch and
partition, and a leader appends no number twice. Numbers begin again after 2^31 records of one
producer in one partition, which is more than a run records.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.comparable import WHOLE
from insync.analysis.checks.history import PARTITION, anomaly_rows, bounded, operation
from insync.analysis.checks.preceding import with_most

NAME = "repeated-sequence"
_LOG = [*PARTITION, "replica", "producer_id", "producer_epoch"]


def find(batches: DataFrame) -> DataFrame:
    """Return a row per batch that has a sequence number of an earlier batch of its log.

    A batch in the logs of several replicas gives one row, which shows it in each of them, with the
    earlier batch that has the highest number. `batches` has the columns of the event lines.
    """
    numbered = batches.where(
        (fn.col("producer_id") >= 0) & (fn.col("base_sequence") >= 0) & fn.col("control").isNull()
    ).withColumn(
        "last_sequence",
        fn.col("base_sequence") + fn.col("last_offset") - fn.col("base_offset"),
    )
    columns = ["base_sequence", "last_sequence", "base_offset", "last_offset"]
    again = with_most(numbered, _LOG, "base_offset", "last_sequence", columns).where(
        fn.col("base_sequence") <= fn.col("most_last_sequence")
    )
    who = fn.concat(
        fn.lit("producer id "), "producer_id", fn.lit(", epoch "), "producer_epoch",
        fn.lit(", sequence "),
    )  # fmt: skip
    both = [
        operation(
            "batch", who="replica", seq=f"{of}base_sequence", offset=f"{of}base_offset",
            note=fn.concat(who, f"{of}base_sequence", fn.lit(" to "), f"{of}last_sequence"),
        )
        for of in ("most_", "")
    ]  # fmt: skip
    found = again.groupBy(*PARTITION, "producer_id", "producer_epoch", "base_offset").agg(
        bounded(fn.array_distinct(fn.flatten(fn.collect_list(fn.array(*both))))).alias(
            "operations"
        ),
        fn.max("last_offset").alias("last_offset"),
    )
    return anomaly_rows(found, NAME, "base_offset", "last_offset", fn.col("operations"))


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="a producer's sequence number at two offsets",
        meaning="A replica's log has a sequence number of one producer id and epoch at two "
        "offsets: a leader appended a batch that it already had.",
        shown_by="the two batches in each log",
        by=Check(find, ("batches.lines",)),
        metric="repeated_sequences",
        known=WHOLE,
        known_if="the log of every replica was read",
    ),
)
