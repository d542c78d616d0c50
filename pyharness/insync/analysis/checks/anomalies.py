"""All checks of a run together: the anomalies, and per partition how many of each kind.

A number is null, never 0, where what it rests on was not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks import epochs, offsets, order, records, replicas, transactions
from insync.analysis.checks.history import PARTITION

KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "reordered": ("reordered", "poll_back"),
    "gaps": ("skipped",),
    "inconsistent": ("inconsistent",),
    "split_epochs": ("split_epoch",),
    "diverged": ("diverged",),
    "watermarks_back": ("watermark_back",),
}
"""Which anomalies each metric counts; lost and duplicated records are in `readback`,
and what became of transactions is in `transactions`."""


@dataclass(frozen=True)
class History:
    """What a run left to be checked: event lines by kind, and what its tables rest on.

    `fates` as made by `records`; `repeats` has arm, repeat, topic; `partitions` has a row for
    each PARTITION; `comparable` as made by `replicas`.
    """

    produce: DataFrame
    consume: DataFrame
    isr: DataFrame
    roles: DataFrame
    batches: DataFrame
    fates: DataFrame
    repeats: DataFrame
    partitions: DataFrame
    comparable: DataFrame


def anomalies(history: History) -> DataFrame:
    """Return every anomaly of the repeats, as insync.analysis.checks.history says what a row is."""
    found = (
        records.lost(history.fates),
        records.duplicated(history.fates),
        order.reordered(history.fates),
        order.polls(history.consume, history.fates),
        offsets.inconsistent(history.produce, history.consume),
        epochs.split_epochs(history.isr, history.roles, history.repeats),
        epochs.watermarks_back(history.roles, history.repeats),
        replicas.diverged(history.batches, history.comparable),
        transactions.aborted_reads(history.fates),
        transactions.torn(history.fates),
    )
    return reduce(DataFrame.unionByName, found)


def checked(history: History, anomalies: DataFrame) -> DataFrame:
    """Per partition how many anomalies of each metric of KINDS_OF; null where it is not known.

    What clients saw is known of every partition here: whether they saw all is in `readback`.
    """
    counted = anomalies.groupBy(*PARTITION).agg(
        *(
            fn.count_if(fn.col("kind").isin(*kinds)).alias(metric)
            for metric, kinds in KINDS_OF.items()
        )
    )
    led = epochs.leaders_told(history.isr, history.roles, history.repeats)
    watermarks = epochs.watermarks_told(history.roles, history.repeats)
    return (
        history.partitions.select(*PARTITION)
        .join(counted, PARTITION, "left")
        .join(led.withColumn("led", fn.lit(True)), PARTITION, "left")
        .join(watermarks.withColumn("told", fn.lit(True)), PARTITION, "left")
        .join(history.comparable.select(*PARTITION, "whole"), PARTITION, "left")
        .select(
            *PARTITION,
            *(_known(metric, None) for metric in ("reordered", "gaps", "inconsistent")),
            _known("split_epochs", "led"),
            _known("diverged", "whole"),
            _known("watermarks_back", "told"),
        )
    )


def _known(metric: str, if_true: str | None) -> Column:
    number = fn.coalesce(metric, fn.lit(0))
    shown = number if if_true is None else fn.when(fn.col(if_true), number)
    return shown.alias(metric)
