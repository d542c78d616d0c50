"""Finds group skips: records that a consumer group has committed and no member processed.

A member may process a record twice, because a rebalance may come between its processing and its
commit. A committed offset says that all records below it were processed.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Check
from insync.analysis.checks.history import PARTITION, TOPIC, anomaly_rows, each, operation

NAME = "group-skip"
_OF_GROUP = [*PARTITION, "group"]


def unprocessed(consume: DataFrame, group: DataFrame) -> DataFrame:
    """Return the records that a consumer without a group read and no member of a group processed.

    The columns are PARTITION, group, offset, seq. The arguments have the columns of the event
    lines. The reads of the fresh consumer do not count: it reads when the groups have ended.
    """
    live = consume.where(~fn.coalesce("fresh", fn.lit(False)))
    visible = each(live, [*PARTITION, "offset"]).agg(fn.min("seq").alias("seq"))
    groups = group.select(*TOPIC, "group").distinct()
    processed = group.where(fn.col("type") == "read").select(*_OF_GROUP, "offset").distinct()
    return visible.join(fn.broadcast(groups), TOPIC, "inner").join(
        processed, [*_OF_GROUP, "offset"], "left_anti"
    )


def find(consume: DataFrame, group: DataFrame) -> DataFrame:
    """Return a row per unprocessed record below the highest offset that its group committed."""
    committed = group.where(fn.col("type").isin("committed", "stored"))
    passed = committed.groupBy(*_OF_GROUP).agg(
        fn.max("offset").alias("upto"), fn.max_by("t_ms", "offset").alias("at_ms")
    )
    skipped = (
        unprocessed(consume, group)
        .join(fn.broadcast(passed), _OF_GROUP, "inner")
        .where(fn.col("offset") < fn.col("upto"))
    )
    shown = [
        operation("read", seq="seq", offset="offset"),
        operation("commit", who="group", offset="upto", at_ms="at_ms"),
    ]
    return anomaly_rows(skipped, NAME, "offset", "offset", shown)


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="a consumer group skipped a record",
        meaning="A consumer group committed an offset above a record that no member processed, "
        "although a consumer without a group read it.",
        shown_by="the read without a group, and the commit",
        by=Check(find, ("consume.lines", "group.lines")),
        metric="group_skipped",
    ),
)
