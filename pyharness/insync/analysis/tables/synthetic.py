"""Histories of any length whose truth is known: made by Spark, for benches and for tests.

Two arms of one repeat; of each arm's records one partition has half (it is hot), twelve others
share the rest. Record `seq` of a partition stands at offset `seq`, is due at a fixed pace, and
is acked some milliseconds later, but for those that fall into a stall of the leader. What is
wrong with a history is wrong at places that arithmetic names, so that `planted` can count it
without looking at the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.tables.spark.made import made

RUN, TOPIC = "synthetic", "history-r0"
ARMS = ("stock", "request")
COLD = 12
"""Partitions that share one half of an arm's records; partition 0 has the other."""
BEGIN_MS = 1_790_000_000_000.0
STALL_EVERY_MS, STALL_AT_MS, STALL_FOR_MS = 600_000, 300_000, 5_000
STALLED = 4
"""Partitions 1 to 4 are the stalled leader's."""
EVERY = 20_011
"""In each so many records of a partition there is one of each kind of anomaly."""
LOST_AT, TWICE_AT, SWAPPED_AT, SWAPPED_BY = 777, 1_777, 3_000, 6_000

PLANTED = ("lost", "duplicated", "reordered", "skipped")
"""Kinds of anomalies in a history; each lost record is also one that a consumer passed over."""


@dataclass(frozen=True)
class History:
    """As many records as asked for, cut to whole rounds over all partitions; see `rows`."""

    rows: int
    seed: int = 1

    @property
    def rounds(self) -> int:
        """How many records each cold partition has; one is due per ms."""
        return self.rows // (2 * COLD * len(ARMS))

    def size(self, partition: int) -> int:
        """How many records a partition of an arm has."""
        return self.rounds * (COLD if partition == 0 else 1)

    def planted(self) -> dict[tuple[str, int, str], int]:
        """Count what is wrong, by arm, partition and kind."""
        return {
            (arm, partition, kind): count
            for arm in ARMS
            for partition in range(COLD + 1)
            for kind, count in self._planted_in(partition)
            if count
        }

    def _planted_in(self, partition: int) -> Iterator[tuple[str, int]]:
        size = self.size(partition)
        lost = len(range(LOST_AT, size, EVERY))
        yield "lost", lost
        yield "skipped", lost
        yield "duplicated", len(range(TWICE_AT, size, EVERY))
        yield "reordered", len(range(SWAPPED_AT, size - SWAPPED_BY, EVERY))


def produced(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the operations of a history, with the columns of silver's table."""
    sent_ms = fn.lit(BEGIN_MS) + fn.col("due_ms")
    latency = 2.0 - 3.0 * fn.log(1.0 - _chance(history, 1) * 0.999999)
    in_stall = _stalled()
    late_ms = fn.when(in_stall, _stall_end() - fn.col("due_ms")).otherwise(fn.lit(0.0))
    lucky = _every(LOST_AT)  # what is to be lost was acked
    failed = fn.when(lucky, fn.lit(None)).when(
        _chance(history, 2) < 0.0001, fn.lit("REQUEST_TIMED_OUT")
    )
    failed = failed.when(in_stall & (_chance(history, 2) < 0.05), fn.lit("NOT_ENOUGH_REPLICAS"))
    never = (_chance(history, 3) < 0.00001) & ~lucky
    answered_ms = fn.when(~never, fn.round(latency + late_ms, 3))
    return (
        _records(spark, history, slices)
        .withColumns({"sent_ms": sent_ms, "latency_ms": answered_ms, "failed": failed})
        .select(
            *_keys(),
            "seq",
            "sent_ms",
            (fn.col("sent_ms") + fn.col("latency_ms")).alias("done_ms"),
            "latency_ms",
            fn.when(fn.col("latency_ms").isNotNull(), fn.col("failed")).alias("error"),
            fn.when(fn.col("latency_ms").isNotNull() & fn.col("failed").isNull(), _offset(history))
            .cast("long")
            .alias("offset"),
            fn.lit(0).alias("producer"),
            fn.lit(False).alias("idempotent"),
            fn.lit(None).cast("long").alias("transaction"),
            (fn.col("partition") % 3 + 1).alias("leader"),
            fn.lit(True).alias("judged"),
        )
    )


def read(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the reads of a history, with the columns of consume lines: all but the lost."""
    seen = _records(spark, history, slices)
    first = seen.where(~_every(LOST_AT)).withColumn("at", _offset(history))
    nth_twice = fn.floor(fn.col("seq") / EVERY)
    again = seen.where(_every(TWICE_AT)).withColumn("at", _size(history) + nth_twice)
    read_ms = fn.lit(BEGIN_MS) + fn.col("due_ms") + STALL_FOR_MS
    return first.unionByName(again).select(
        *_keys(),
        fn.col("at").cast("long").alias("offset"),
        "seq",
        read_ms.alias("read_ms"),
        fn.col("at").cast("long").alias("nth"),
        fn.lit(0).alias("consumer"),
    )


def partitions(spark: SparkSession, history: History) -> DataFrame:
    """Return a row for each partition of a history, with the window that it is judged in."""
    end_ms = BEGIN_MS + history.rounds + STALL_FOR_MS
    rows = [
        (RUN, arm, 0, TOPIC, partition, BEGIN_MS, end_ms)
        for arm in ARMS
        for partition in range(COLD + 1)
    ]
    columns = "run string, arm string, repeat int, topic string, partition int"
    return made(spark, rows, f"{columns}, start_ms double, end_ms double")


def _records(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the records: id, arm, partition, seq, due_ms (from the beginning)."""
    of_round = fn.col("id") / len(ARMS)
    place = fn.floor(of_round) % (2 * COLD)
    rounds = fn.floor(of_round / (2 * COLD))
    hot = place < COLD
    arm = fn.when(fn.col("id") % len(ARMS) == 0, fn.lit(ARMS[0])).otherwise(fn.lit(ARMS[1]))
    return spark.range(0, history.rounds * 2 * COLD * len(ARMS), 1, slices).select(
        "id",
        arm.alias("arm"),
        fn.when(hot, fn.lit(0)).otherwise(place - COLD + 1).cast("int").alias("partition"),
        fn.when(hot, rounds * COLD + place).otherwise(rounds).cast("long").alias("seq"),
        fn.when(hot, rounds + place / COLD).otherwise(rounds).cast("double").alias("due_ms"),
    )


def _keys() -> tuple[Column | str, ...]:
    repeat = fn.lit(0).alias("repeat")
    return (fn.lit(RUN).alias("run"), "arm", repeat, fn.lit(TOPIC).alias("topic"), "partition")


def _size(history: History) -> Column:
    hot = fn.col("partition") == 0
    return fn.when(hot, fn.lit(history.size(0))).otherwise(fn.lit(history.size(1)))


def _offset(history: History) -> Column:
    """Return where a record stands: at its number, but for each pair that is swapped."""
    seq, to = fn.col("seq"), SWAPPED_AT + SWAPPED_BY
    whole = seq - seq % EVERY + to < _size(history)
    return (
        fn.when(_every(SWAPPED_AT) & whole, seq + SWAPPED_BY)
        .when(_every(to), seq - SWAPPED_BY)
        .otherwise(seq)
    )


def _every(place: int) -> Column:
    return fn.col("seq") % EVERY == place


def _stalled() -> Column:
    into = fn.col("due_ms") % STALL_EVERY_MS
    within = into.between(STALL_AT_MS, STALL_AT_MS + STALL_FOR_MS)
    return fn.col("partition").between(1, STALLED) & within


def _stall_end() -> Column:
    begun = fn.col("due_ms") - fn.col("due_ms") % STALL_EVERY_MS
    return begun + STALL_AT_MS + STALL_FOR_MS


def _chance(history: History, of: int) -> Column:
    """Return a number from 0 to 1 that hangs on nothing but the seed and the record."""
    drawn = fn.pmod(fn.xxhash64(fn.lit(history.seed), fn.lit(of), "id"), fn.lit(1 << 53))
    return drawn / float(1 << 53)
