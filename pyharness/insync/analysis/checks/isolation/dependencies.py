"""Computes the dependencies between transactions that may be part of a cycle.

As in Elle, transaction A comes before B if B's record follows A's in a partition (`ww`), or if B
read a record of A (`wr`). Only the next record of another transaction counts: the others follow
from it. Records outside of transactions are left out, because they connect no two partitions.

Of all dependencies only the suspects are of interest. In any order of the transactions a cycle has
an edge that goes back, and every transaction of the cycle is between the ends of such edges. The
order here is that in which they began, so only those that ran at the same time are suspects.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, TOPIC, TRANSACTION, is_acked
from insync.analysis.checks.preceding import with_previous

_GRAPH = [*TOPIC, "kind"]
_EDGE = [*_GRAPH, "transaction", "then"]
_SHOWN = ("partition", "offset", "seq", "then_offset", "then_seq")


def dependencies(produce: DataFrame, transactions: DataFrame, reads: DataFrame) -> DataFrame:
    """Return the suspects: TOPIC, kind, transaction, then, and the records in one partition.

    `transaction` wrote `seq` at `offset`. Of the kind `ww`, `then` wrote `then_seq` at
    `then_offset` behind it. Of the kind `wr`, `then` read it: there these two are the same.
    Aborted transactions have none, and neither have those without a line. The arguments have the
    columns of the event lines.
    """
    ended = (
        transactions.where(fn.col("end") != "aborted")
        .select(*TRANSACTION, "begun_ms")
        .dropDuplicates(TRANSACTION)
    )
    written = produce.where(
        fn.col("transaction").isNotNull() & is_acked() & (fn.col("offset") >= 0)
    ).select(*PARTITION, "transaction", "seq", "offset")
    writes = written.join(ended, TRANSACTION, "inner")
    both = _next_writes(writes).unionByName(_reads(writes, reads, ended))
    # A partition that shows the dependency is enough.
    shown = fn.min(fn.struct(*_SHOWN)).alias("shown")
    return _suspects(both).groupBy(*_EDGE).agg(shown).select(*_EDGE, "shown.*")


def _next_writes(writes: DataFrame) -> DataFrame:
    """Return the dependencies of the kind `ww`."""
    columns = ["transaction", "seq", "offset", "begun_ms"]
    followed = with_previous(writes, PARTITION, "offset", columns).where(
        fn.col("previous_transaction") != fn.col("transaction")
    )
    return followed.select(
        *PARTITION,
        fn.lit("ww").alias("kind"),
        *(fn.col(f"previous_{name}").alias(name) for name in columns),
        fn.col("transaction").alias("then"),
        *(fn.col(name).alias(f"then_{name}") for name in columns[1:]),
    )


def _reads(writes: DataFrame, reads: DataFrame, ended: DataFrame) -> DataFrame:
    """Return the dependencies of the kind `wr`."""
    of_reader = ended.select(
        *TOPIC, fn.col("transaction").alias("then"), fn.col("begun_ms").alias("then_begun_ms")
    )
    return (
        reads.select(*PARTITION, "seq", fn.col("transaction").alias("then"))
        .join(of_reader, [*TOPIC, "then"], "inner")
        .join(writes, [*PARTITION, "seq"], "inner")
        .where(fn.col("then") != fn.col("transaction"))
        .select(
            *PARTITION,
            fn.lit("wr").alias("kind"),
            *("transaction", "seq", "offset", "begun_ms", "then"),
            fn.col("seq").alias("then_seq"),
            fn.col("offset").alias("then_offset"),
            "then_begun_ms",
        )
    )


def _suspects(edges: DataFrame) -> DataFrame:
    """Return the edges of which both ends are within a span of edges that go back."""
    near = edges.join(fn.broadcast(_spans(edges)), _GRAPH, "inner")
    return near.where(_is_in("begun_ms") & _is_in("then_begun_ms"))


def _is_in(at: str) -> Column:
    def around(span: Column) -> Column:
        return fn.col(at).between(span["first_ms"], span["last_ms"])

    return fn.exists("spans", around)


def _spans(edges: DataFrame) -> DataFrame:
    """Return per graph the spans of the edges that go back; those that overlap are one."""
    back = edges.where(fn.col("begun_ms") >= fn.col("then_begun_ms")).select(
        *_GRAPH, fn.col("then_begun_ms").alias("first_ms"), fn.col("begun_ms").alias("last_ms")
    )
    in_order = Window.partitionBy(*_GRAPH).orderBy("first_ms", "last_ms")
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    is_new = fn.coalesce(fn.max("last_ms").over(before) < fn.col("first_ms"), fn.lit(True))
    return (
        back.withColumn("is_new", is_new.cast("int"))
        .withColumn("span", fn.sum("is_new").over(in_order))
        .groupBy(*_GRAPH, "span")
        .agg(fn.min("first_ms").alias("first_ms"), fn.max("last_ms").alias("last_ms"))
        .groupBy(*_GRAPH)
        .agg(fn.collect_list(fn.struct("first_ms", "last_ms")).alias("spans"))
    )
