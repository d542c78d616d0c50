"""Computes how long ISRs lacked replicas, how records waited for followers, and who was dropped.

Availability has rows per partition, and for the whole topic (`partition` is null): the time in
which at least one of its partitions was in the state, with overlapping intervals counted once.

The controller's log says which followers were removed from an ISR and when; the fault lines say
which followers had a fault. A fault at a follower, such as a hung disk or a freeze, explains its
removal; a fault at the leader does not. `recovery` is how soon a topic recovered after a fault.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, REPEAT, is_acked
from insync.analysis.tables.gold.acks import and_whole
from insync.analysis.tables.silver.shrinks import lag_of_arm
from insync.faults.registry import tagged


def pauses(operations: DataFrame, faults: DataFrame, intervals: DataFrame) -> DataFrame:
    """Return one row per fault that stopped a follower in an ISR, with its due, early and waited.

    `operations`, `faults` and `intervals` (isr_intervals) are the tables. `due` counts the records
    that were due while the follower was stopped and in the ISR. None of them is committed before
    the follower runs again or is out of the ISR: `early` counts those that were acked all the same,
    `waited` those that were acked after the pause, to whose end the follower was in the ISR.
    """
    stopped = faults.where(fn.col("fault").isin(tagged("stops_process"))).select(
        *REPEAT, "fault_no", "broker", "injected_ms", "lifted_ms"
    )
    members = intervals.select(
        *PARTITION, fn.col("leader").alias("led_by"), "isr", "start_ms", "end_ms"
    )
    due = fn.col("sent_ms")
    follows = (fn.col("led_by") != fn.col("broker")) & fn.array_contains("isr", fn.col("broker"))
    stayed = fn.col("end_ms") >= fn.col("lifted_ms")
    ended = fn.least("lifted_ms", "end_ms")
    return (
        operations.select(*PARTITION, "sent_ms", "done_ms", is_acked().alias("acked"))
        .join(fn.broadcast(stopped), REPEAT, "inner")
        .where(due.between(fn.col("injected_ms"), fn.col("lifted_ms")))
        .join(fn.broadcast(members), PARTITION, "inner")
        .where(follows & (due >= fn.col("start_ms")) & (due < fn.col("end_ms")))
        .groupBy(*REPEAT, "fault_no", "broker")
        .agg(
            fn.count(fn.lit(1)).alias("due"),
            fn.count_if(fn.col("acked") & (fn.col("done_ms") < ended)).alias("early"),
            fn.count_if(
                fn.col("acked") & stayed & (fn.col("done_ms") >= fn.col("lifted_ms"))
            ).alias("waited"),
        )
    )


def added_replicas(intervals: DataFrame) -> DataFrame:
    """Return one row per replica that was added to a partition, with its `joined_ms`.

    `intervals` is the table isr_intervals. `added_ms` (epoch) is when it was in the assignment,
    `joined_ms` how much later it was in the ISR; null if it never was.
    """
    before = fn.lag("replicas").over(Window.partitionBy(*PARTITION).orderBy("start_ms"))
    added = intervals.withColumn("new", fn.array_except("replicas", before)).select(
        *PARTITION,
        fn.explode("new").alias("replica"),
        fn.col("start_ms").alias("added_ms"),
    )
    later = intervals.select(*PARTITION, "isr", "start_ms")
    member = fn.array_contains("isr", fn.col("replica")) & (
        fn.col("start_ms") >= fn.col("added_ms")
    )
    joined = fn.min(fn.when(member, fn.col("start_ms"))) - fn.col("added_ms")
    return (
        added.join(later, PARTITION, "inner")
        .groupBy(*PARTITION, "replica", "added_ms")
        .agg(joined.alias("joined_ms"))
    )


def availability(intervals: DataFrame) -> DataFrame:
    """Return how long each PARTITION was in each state, and its `min_isr_size`.

    `intervals` is the table isr_intervals, with the run's `min_insync_replicas`. A replica that a
    reassignment still adds makes no partition under-replicated, as in Kafka's own count;
    `under_replicated_ms` is null where the replicas are not known.
    """
    size, least = fn.col("isr_size"), fn.col("min_insync_replicas")
    replication_factor = fn.size("replicas") - fn.coalesce(fn.size("adding"), fn.lit(0))
    states = {
        "under_min_isr_ms": size < least,
        "at_min_isr_ms": size == least,
        "offline_ms": fn.col("leader") < 0,
        "under_replicated_ms": size < replication_factor,
    }
    spans = and_whole(intervals.withColumns(states))
    return (
        spans.withColumns({state: _newly_covered(state) for state in states})
        .groupBy(*PARTITION)
        .agg(*(fn.sum(state).alias(state) for state in states), fn.min(size).alias("min_isr_size"))
    )


def _newly_covered(state: str) -> Column:
    """Return what an interval in a state adds to the union of those that began before it (ms)."""
    before = Window.partitionBy(*PARTITION, state).orderBy("start_ms", "end_ms")
    earlier = before.rowsBetween(Window.unboundedPreceding, -1)
    reached = fn.coalesce(fn.max("end_ms").over(earlier), fn.col("start_ms"))
    added = fn.col("end_ms") - fn.greatest(reached, fn.col("start_ms"))
    is_in = fn.col(state)
    return fn.when(is_in, fn.greatest(added, fn.lit(0.0))).when(~is_in, fn.lit(0.0))


def follower_drops(shrinks: DataFrame, faults: DataFrame) -> DataFrame:
    """Return one row per follower that was removed from an ISR, and whether it was `healthy`.

    `shrinks` and `faults` are the tables isr_shrinks, with the scenario's `lag_ms`, and faults. A
    follower is healthy unless its broker was fenced, or a fault at it was active or had ended at
    most one replica.lag.time.max.ms before.
    """
    troubles = faults.where(~fn.col("fault").isin(tagged("harmless"))).select(
        *REPEAT, "fault", "broker", "injected_ms", "lifted_ms"
    )
    drops = shrinks.withColumn("replica", fn.explode("removed"))
    felt = (fn.col("t_ms") >= fn.col("injected_ms")) & (
        fn.col("lifted_ms").isNull() | (fn.col("t_ms") <= fn.col("lifted_ms") + lag_of_arm())
    )
    concerned = (fn.col("broker") == fn.col("replica")) | fn.col("fault").isin(
        tagged("at_both_ends")
    )
    at_fault = fn.max(fn.coalesce(felt & concerned, fn.lit(False)))
    fenced = fn.max(fn.col("cause") == "fenced")
    return (
        drops.join(troubles, REPEAT, "left")
        .groupBy(*PARTITION, "t_ms", "replica")
        .agg((~at_fault & ~fenced).alias("healthy"))
    )


def detections(intervals: DataFrame, faults: DataFrame) -> DataFrame:
    """Return one row per fault at a follower, with `detected_ms` and `let_in`.

    `intervals` is the table isr_intervals. `partitions` is how many partitions with the fault the
    broker followed. `detected_ms` is the time from the start of the fault until the broker was in
    none of their ISRs, 0 if it was in none at the start; null if it stayed in one to the end.
    `let_in` is how often it joined one of them between the fault's start and its end.
    """
    name = fn.concat_ws("-", "topic", "partition")
    about = (fn.size("target") == 0) | fn.array_contains("target", name)
    follows = (fn.col("leader") != fn.col("broker")) & fn.array_contains(
        "replicas", fn.col("broker")
    )
    standing = (fn.col("end_ms") > fn.col("injected_ms")) & (
        fn.col("lifted_ms").isNull() | (fn.col("start_ms") < fn.col("lifted_ms"))
    )
    since = fn.greatest(fn.lit(0.0), fn.col("start_ms") - fn.col("injected_ms"))
    out = fn.min(fn.when(~fn.array_contains("isr", fn.col("broker")), since))
    in_isr = fn.array_contains("isr", fn.col("broker"))
    joined = in_isr & ~fn.array_contains("before", fn.col("broker"))
    during = joined & (fn.col("start_ms") > fn.col("injected_ms"))
    earlier = fn.lag("isr").over(Window.partitionBy(*PARTITION).orderBy("start_ms"))
    return (
        faults.where(~fn.col("fault").isin(tagged("harmless")))
        .select(*REPEAT, "fault_no", "broker", "target", "injected_ms", "lifted_ms")
        .join(intervals.withColumn("before", earlier), REPEAT, "inner")
        .where(about & follows & standing)
        .groupBy(*REPEAT, "fault_no", "broker", "partition")
        .agg(out.alias("out_ms"), fn.count_if(during).alias("joins"))
        .groupBy(*REPEAT, "fault_no", "broker")
        .agg(
            fn.count(fn.lit(1)).cast("int").alias("partitions"),
            _unless_any_is_missing("out_ms").alias("detected_ms"),
            fn.sum("joins").cast("int").alias("let_in"),
        )
    )


def _unless_any_is_missing(name: str) -> Column:
    """Return the largest value of a group in which every row has one."""
    whole = fn.count(name) == fn.count(fn.lit(1))
    return fn.when(whole, fn.max(name))


_FAULT = [*REPEAT, "fault_no"]


def recovery(
    faults: DataFrame, intervals: DataFrame, operations: DataFrame, repeats: DataFrame
) -> DataFrame:
    """Return one row per lifted fault, over all partitions of its repeat.

    `isr_whole_ms` is the time from the lift until every ISR was full, 0 if all were; null if one
    was not before the next fault or the repeat's end. `backlog_ms` is the time from the lift until
    the last record that was due during the fault was acked, 0 if all were acked before; null if
    one never was.
    """
    next_ms = fn.lead("injected_ms").over(Window.partitionBy(*REPEAT).orderBy("fault_no"))
    lifted = (
        faults.withColumn("next_ms", next_ms)
        .join(repeats.select(*REPEAT, "end_ms"), REPEAT, "inner")
        .where(fn.col("lifted_ms").isNotNull())
        .select(
            *_FAULT,
            "injected_ms",
            "lifted_ms",
            fn.least("end_ms", "next_ms").alias("until_ms"),
        )
    )
    return lifted.join(_whole_again(lifted, intervals), _FAULT, "left").join(
        _drained(lifted, operations), _FAULT, "left"
    )


def _whole_again(lifted: DataFrame, intervals: DataFrame) -> DataFrame:
    broken = (fn.col("isr_size") < fn.size("replicas")) | (fn.col("leader") < 0)
    spans = intervals.select(*REPEAT, "start_ms", "end_ms", broken.alias("broken"))
    inside = (fn.col("end_ms") > fn.col("lifted_ms")) & (fn.col("start_ms") < fn.col("until_ms"))
    last = fn.max(fn.when(fn.col("broken"), fn.col("end_ms")))
    return (
        lifted.join(spans, REPEAT, "inner")
        .where(inside)
        .groupBy(*_FAULT, "lifted_ms", "until_ms")
        .agg(fn.coalesce(last, fn.col("lifted_ms")).alias("whole_ms"))
        .where(fn.col("whole_ms") < fn.col("until_ms"))
        .select(*_FAULT, (fn.col("whole_ms") - fn.col("lifted_ms")).alias("isr_whole_ms"))
    )


def _drained(lifted: DataFrame, operations: DataFrame) -> DataFrame:
    due = fn.col("sent_ms").between(fn.col("injected_ms"), fn.col("lifted_ms"))
    late_ms = fn.greatest(fn.max("done_ms") - fn.col("lifted_ms"), fn.lit(0.0))
    return (
        operations.join(fn.broadcast(lifted), REPEAT, "inner")
        .where(due)
        .groupBy(*_FAULT, "lifted_ms")
        .agg(
            fn.count_if(~is_acked()).alias("never"),
            late_ms.alias("backlog_ms"),
        )
        .where(fn.col("never") == 0)
        .select(*_FAULT, "backlog_ms")
    )
