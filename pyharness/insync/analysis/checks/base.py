"""Defines what an anomaly is, and the history in which the queries look for anomalies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame


@dataclass(frozen=True)
class History:
    """The lines and tables of all repeats that the queries read.

    `fates` is the result of records.record_fates with the run's `acks`, `comparable` that of
    comparable.comparable, `cycles` that of isolation.cycles.cycles; `repeats` has arm, repeat,
    topic; `partitions` has a row for each PARTITION. The others have the columns of the event
    lines of that name.
    """

    produce: DataFrame
    consume: DataFrame
    group: DataFrame
    transaction_reads: DataFrame
    isr: DataFrame
    roles: DataFrame
    batches: DataFrame
    fates: DataFrame
    repeats: DataFrame
    partitions: DataFrame
    comparable: DataFrame
    cycles: DataFrame


Query = Callable[[History], DataFrame]


@dataclass(frozen=True)
class Anomaly:
    """One kind of anomaly: its name, what it means, and the query that finds it.

    `name` is Jepsen's name if its Kafka workload has one; it is the `kind` in the table
    `anomalies`. `old_name` is the kind in tables written before 0.1. `label` is a short
    description for the report. `meaning` and `shown_by` (what the column `operations` holds) are
    Markdown for docs/checker.md.

    `query` returns rows of `anomalies`. Anomalies that share one pass over the data name the same
    function, which then returns the rows of all of them and runs once.

    `metric` is the metric that counts the anomaly, if any, and `metric_table` the table that holds
    it. In `checked` the number is null outside the partitions that `known` returns, and `known_if`
    says which these are. Whether the anomaly is an integrity violation, which fails a run whatever
    its scenario expects, is a property of the metric.
    """

    name: str
    label: str
    meaning: str
    shown_by: str
    query: Query
    old_name: str | None = None
    metric: str | None = None
    metric_table: str = "checked"
    known: Query | None = None
    known_if: str = "the readback is complete"
