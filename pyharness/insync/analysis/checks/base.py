"""Defines what an anomaly is, and how it is found in a history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION


@dataclass(frozen=True)
class Check:
    """A query: `find` gets the tables that `needs` names, then those of `also`.

    Event lines are named `KIND.lines`. Without rows in one of `needs` the query finds nothing, and
    does not run. The result has the columns of history.anomaly_rows.
    """

    find: Callable[..., DataFrame]
    needs: tuple[str, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """What a row shows: an anomaly of this kind, where the row fits."""

    kind: Column
    fits: Column
    offset: Column
    last_offset: Column
    operations: Column


OfRecord = Callable[[], Found]
"""Returns what finds an anomaly in a row of the table `fates` alone; all such share one pass."""


def found_rows(rows: DataFrame, cases: Sequence[Found]) -> DataFrame:
    """Return a row per anomaly of each row, with the columns of history.anomaly_rows."""
    shown = [
        fn.when(
            of.fits,
            fn.struct(
                of.kind.alias("kind"),
                of.offset.cast("bigint").alias("offset"),
                of.last_offset.cast("bigint").alias("last_offset"),
                of.operations.alias("operations"),
            ),
        )
        for of in cases
    ]
    found = fn.explode(fn.array_compact(fn.array(*shown))).alias("found")
    return rows.select(*PARTITION, found).select(*PARTITION, "found.*")


@dataclass(frozen=True)
class Anomaly:
    """One kind of anomaly: its name, what it means, and what finds it.

    `name` is Jepsen's name if its Kafka workload has one; it is the `kind` in the table
    `anomalies`. `label` is a short description for the report. `meaning` and `shown_by` (what the
    column `operations` holds) are Markdown for docs/understand/checker.md. Anomalies that are found
    by one pass over the data name the same `by`.

    `metric` is the metric that counts the anomaly, if any, and `metric_table` the table that holds
    it. In `checked` the number is null outside the partitions that `known` returns, and `known_if`
    says which these are. Whether the anomaly is an integrity violation, which fails a run whatever
    its scenario expects, is a property of the metric.
    """

    name: str
    label: str
    meaning: str
    shown_by: str
    by: Check | OfRecord
    metric: str | None = None
    metric_table: str = "checked"
    known: Check | None = None
    known_if: str = "the readback is complete"
