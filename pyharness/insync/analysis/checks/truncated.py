"""Finds truncated logs: tails that were acked or read, and that no replica has any more.

Replicas that all lost the same tail agree with each other. So this compares the end of the log
with the last offsets that producers and consumers saw.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import PARTITION, anomaly_rows, operation

NAME = "truncated"


def find(comparable: DataFrame, fates: DataFrame) -> DataFrame:
    """Return a row per partition whose log ends before an offset that was acked or read.

    `fates` as of records.record_fates, `comparable` as of the function of that name. A row shows
    the first and the last record that were lost, each by its ack and by its read; a consumer that
    had only read markers of transactions behind the end has no record to show.
    """
    ends = _with_end(comparable).select(*PARTITION, "log_end", "position")
    cut = (
        ends.join(_beyond(fates, ends), PARTITION, "left")
        .withColumn("seen_to", fn.greatest("last_acked", "last_read", fn.col("position") - 1))
        .where(fn.col("seen_to") >= fn.col("log_end"))
    )
    return anomaly_rows(cut, NAME, "log_end", "seen_to", _shown())


def _with_end(comparable: DataFrame) -> DataFrame:
    return comparable.where(fn.col("log_end").isNotNull())


def _beyond(fates: DataFrame, ends: DataFrame) -> DataFrame:
    """Return the first and the last record at or behind the end of each log."""
    acked, read = (
        fn.when(fn.col(name) >= fn.col("log_end"), fn.col(name))
        for name in ("offset", "last_offset")
    )
    return (
        fates.join(fn.broadcast(ends), PARTITION, "inner")
        .withColumns({"acked_at": acked, "read_at": read})
        .where(fn.col("acked_at").isNotNull() | fn.col("read_at").isNotNull())
        .groupBy(*PARTITION)
        .agg(
            *(
                column.alias(f"{which}_{what}{name}")
                for what, at in (("acked", "acked_at"), ("read", "read_at"))
                for which, of, of_seq in (
                    ("first", fn.min, fn.min_by), ("last", fn.max, fn.max_by),
                )
                for name, column in (("", of(at)), ("_seq", of_seq("seq", at)))
            )
        )
    )  # fmt: skip


def _shown() -> Column:
    shown = [
        fn.when(
            fn.col(f"{which}_{what}").isNotNull(),
            operation(
                "ack" if what == "acked" else what,
                seq=f"{which}_{what}_seq",
                offset=f"{which}_{what}",
                note=fn.concat(fn.lit("the log ends at "), "log_end"),
            ),
        )
        for what in ("acked", "read")
        for which in ("first", "last")
    ]
    return fn.array_distinct(fn.array_compact(fn.array(*shown)))


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="the log lost its tail",
        meaning="All replicas' logs end before an offset that was acked, or that a consumer had "
        "read.",
        shown_by="the first and the last record behind the end, by their acks and reads",
        by=Check(find, ("comparable",), ("fates",)),
        metric="truncated",
        known=Check(_with_end, ("comparable",)),
        known_if="the log of every replica was read, or the fresh consumer's end is recorded",
    ),
)
