"""Finds precommitted reads: records that were read before their transaction could be committed.

A transaction is committed after its producer has requested that. So a consumer of committed records
may get a record only after the request, and never a record of a transaction whose commit was not
requested. A transaction that reads its own record is the case that Jepsen looks for.
"""

from __future__ import annotations

from pyspark.sql import functions as fn

from insync.analysis.checks.base import Anomaly, Found
from insync.analysis.checks.history import operation
from insync.analysis.checks.isolation.transactions import (
    seen_ms,
    seen_offset,
    transaction_and_end,
)

NAME = "precommitted-read"


def found() -> Found:
    """Find the records that were read before the end of their transaction was requested.

    Of aborted transactions every read is an aborted read. It is
    unknown when the end of a transaction without a line was requested. The producers, the consumer
    and the transactions that read share one clock.
    """
    fits = (fn.col("end") != "aborted") & (seen_ms() < fn.col("asked_ms"))
    asked = fn.when(
        fn.col("asked_ms") < float("inf"),
        fn.concat(
            fn.lit(", read "),
            fn.round(fn.col("asked_ms") - seen_ms(), 1),
            fn.lit(" ms before its commit was requested"),
        ),
    ).otherwise(fn.lit(", its commit was never requested"))
    shown = [
        operation(
            "produce", who="producer", seq="seq", offset="offset", at_ms="sent_ms",
            note=fn.concat(transaction_and_end(), asked),
        ),
        operation("read", seq="seq", offset=seen_offset(), at_ms=seen_ms()),
    ]  # fmt: skip
    return Found(fn.lit(NAME), fits, seen_offset(), seen_offset(), fn.array(*shown))


ANOMALIES = (
    Anomaly(
        name=NAME,
        label="record of a transaction was read before its commit",
        meaning="A record of a transaction was read before its producer requested the commit, or "
        "although it never did. Readers are consumers of committed records, and transactions.",
        shown_by="the record with its transaction, and the read",
        by=found,
        metric="precommitted_read",
    ),
)
