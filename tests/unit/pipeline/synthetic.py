"""Generates histories of any length with a known number of anomalies, for tests.

A history has two arms of one repeat, of which the second has idempotent producers. In each arm one
hot partition has half of the records, and twelve others share the rest. Record `seq` of a partition
has offset `seq`, is due at a fixed rate, and is acked some milliseconds later, except during a
stall of the leader. The positions of the anomalies follow from arithmetic, so `planted` counts them
without reading the history.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks import (
    duplicate,
    lost_write,
    nonmonotonic_send,
    offsets,
    polls,
)
from unit.tables.inline import inline_table

RUN, TOPIC = "synthetic", "history-r0"
ARMS = ("stock", "request")
IDEMPOTENT = ARMS[1]
PRODUCERS = 2
"""They take turns in every partition; SWAPPED_BY is a multiple of their number."""
COLD = 12
"""How many partitions share one half of an arm's records; partition 0 has the other half."""
BEGIN_MS = 1_790_000_000_000.0
STALL_EVERY_MS, STALL_AT_MS, STALL_FOR_MS = 600_000, 300_000, 5_000
STALLED = 4
"""Partitions 1 to 4 are the stalled leader's."""
EVERY = 20_011
"""Each anomaly occurs once in this many records of a partition."""
LOST_AT, TWICE_AT, SWAPPED_AT, SWAPPED_BY = 777, 1_777, 3_000, 6_000
MISREAD_AT, BACK_AT = 5_000, 7_000
"""Each with its next record: the reads name the one for the other; they are read in turn."""

PLANTED = (
    lost_write.NAME,
    duplicate.NAME,
    duplicate.IDEMPOTENT,
    nonmonotonic_send.NAME,
    offsets.INCONSISTENT,
    polls.BACK,
    polls.SKIP,
)
"""The anomalies in a history."""


@dataclass(frozen=True)
class History:
    """A history of about `rows` records, rounded down to whole rounds over all partitions."""

    rows: int
    seed: int = 1

    @property
    def rounds(self) -> int:
        """Return how many records each cold partition has; one is due per ms."""
        return self.rows // (2 * COLD * len(ARMS))

    def size(self, partition: int) -> int:
        """Return how many records a partition of an arm has."""
        return self.rounds * (COLD if partition == 0 else 1)

    def planted(self) -> dict[tuple[str, int, str], int]:
        """Return the number of anomalies by arm, partition and name."""
        return {
            (arm, partition, kind): count
            for arm in ARMS
            for partition in range(COLD + 1)
            for kind, count in self._planted_in(arm, partition)
            if count
        }

    def _planted_in(self, arm: str, partition: int) -> Iterator[tuple[str, int]]:
        size = self.size(partition)
        lost = len(range(LOST_AT, size, EVERY))
        back = len(range(BACK_AT, size - 1, EVERY))
        swapped = len(range(SWAPPED_AT, size - SWAPPED_BY, EVERY))
        yield lost_write.NAME, lost
        yield (
            duplicate.IDEMPOTENT if arm == IDEMPOTENT else duplicate.NAME,
            len(range(TWICE_AT, size, EVERY)),
        )
        # Of an idempotent producer the sequence numbers show it as well as the time.
        yield nonmonotonic_send.NAME, swapped * (2 if arm == IDEMPOTENT else 1)
        yield offsets.INCONSISTENT, 2 * len(range(MISREAD_AT, size - 1, EVERY))
        yield polls.BACK, back
        # A consumer skips a lost write; and one record before it goes back, and one after.
        yield polls.SKIP, lost + 2 * back


def produced(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the operations of a history, with the columns of the silver table."""
    sent_ms = fn.lit(BEGIN_MS) + fn.col("due_ms")
    latency = 2.0 - 3.0 * fn.log(1.0 - _chance(history, 1) * 0.999999)
    in_stall = _stalled()
    late_ms = fn.when(in_stall, _stall_end() - fn.col("due_ms")).otherwise(fn.lit(0.0))
    # What acks show needs an ack.
    lucky = _every(LOST_AT) | _every(MISREAD_AT) | _every(MISREAD_AT + 1)
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
            (fn.col("seq") % PRODUCERS).cast("int").alias("producer"),
            (fn.col("arm") == IDEMPOTENT).alias("idempotent"),
            fn.lit(None).cast("long").alias("transaction"),
            fn.lit(True).alias("judged"),
        )
    )


def read(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the reads of a history, with the columns of consume lines."""
    seen = _records(spark, history, slices)
    first = seen.where(~_every(LOST_AT)).withColumn("at", _offset(history))
    nth_twice = fn.floor(fn.col("seq") / EVERY)
    again = seen.where(_every(TWICE_AT)).withColumn("at", _size(history) + nth_twice)
    read_ms = fn.lit(BEGIN_MS) + fn.col("due_ms") + STALL_FOR_MS
    return first.unionByName(again).select(
        *_keys(),
        fn.col("at").cast("long").alias("offset"),
        (fn.col("seq") + _in_turn(history, MISREAD_AT)).alias("seq"),
        read_ms.alias("read_ms"),
        (fn.col("at") + _in_turn(history, BACK_AT)).cast("long").alias("nth"),
        fn.lit(0).alias("consumer"),
        fn.lit(False).alias("fresh"),
        fn.lit(None).cast("string").alias("corrupt"),
    )


def partitions(spark: SparkSession, history: History) -> DataFrame:
    """Return a row for each partition of a history, with its repeat's window."""
    end_ms = BEGIN_MS + history.rounds + STALL_FOR_MS
    rows = [
        (RUN, arm, 0, TOPIC, partition, BEGIN_MS, end_ms)
        for arm in ARMS
        for partition in range(COLD + 1)
    ]
    columns = "run string, arm string, repeat int, topic string, partition int"
    return inline_table(spark, rows, f"{columns}, start_ms double, end_ms double")


def _records(spark: SparkSession, history: History, slices: int) -> DataFrame:
    """Return the records: id, arm, partition, seq, due_ms (since the start)."""
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
    """Return a record's offset: its sequence number, except for the pairs that are swapped."""
    seq, to = fn.col("seq"), SWAPPED_AT + SWAPPED_BY
    whole = seq - seq % EVERY + to < _size(history)
    return (
        fn.when(_every(SWAPPED_AT) & whole, seq + SWAPPED_BY)
        .when(_every(to), seq - SWAPPED_BY)
        .otherwise(seq)
    )


def _in_turn(history: History, place: int) -> Column:
    """Return what exchanges a number of the record at `place` with that of the next: 1 and -1."""
    whole = fn.col("seq") + 1 < _size(history)
    return fn.when(_every(place) & whole, 1).when(_every(place + 1), -1).otherwise(0)


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
    """Return a number from 0 to 1 that depends only on the seed and the record."""
    drawn = fn.pmod(fn.xxhash64(fn.lit(history.seed), fn.lit(of), "id"), fn.lit(1 << 53))
    return drawn / float(1 << 53)
