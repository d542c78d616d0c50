"""Finds the ISR changes that removed a member, their causes, and whether they were late.

The `cause` of a shrink is "fenced" if a removed replica's broker was fenced at that time. Otherwise
it is "stepped down" if the leader itself left as another broker became leader, in an arm whose
leaders may step down. Otherwise it is the latest fault that was active, or had ended at most
replica.lag.time.max.ms before, at the partition's leader ("leader: FAULT") or at a removed replica
("follower: FAULT"; "link" belongs to neither). Of these faults one that is old enough to make a
follower late is preferred. Otherwise it is "lag".

A follower is late replica.lag.time.max.ms after the fault began, or after its leader was elected if
that was later. isr-expiration runs every half of that time. A shrink that is later than its next
run is `delayed`: something kept the task, or the leader, from acting.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync import arms
from insync.analysis.checks.history import PARTITION_OF_ARM, REPEAT, TOPIC_OF_ARM
from insync.analysis.tables.silver.evidence import words
from insync.analysis.tables.silver.leaders import BROKER_OF_ARM, log_of, until_next
from insync.faults.registry import tagged

SLACK_MS = 500.0
"""How much later than its period isr-expiration, and then the controller, may act."""


def lag_of_arm() -> Column:
    """Return replica.lag.time.max.ms of a row's arm, from `lag_ms`, that of its scenario."""
    factors = [(fn.lit(name), fn.lit(arms.lag_factor(name))) for name in arms.ARMS]
    of_arm = fn.create_map(*(part for pair in factors for part in pair))
    return fn.col("lag_ms") * fn.coalesce(fn.try_element_at(of_arm, fn.col("arm")), fn.lit(1))


def isr_shrinks(isr: DataFrame, repeats: DataFrame, faults: DataFrame) -> DataFrame:
    """Return one row per ISR change within a repeat that removed a member.

    `faults` is the table of that name; `repeats` has the scenario's `lag_ms`. `leader` is the
    leader before the change; `fault_no` and `site` are those of the fault that caused the shrink.
    `moment` is "before" the first fault, "during" one, "on_lift" (within one isr-expiration period
    after one ended) or "after"; null if the repeat had no fault. `due_ms` (epoch) and `late_ms`
    count from the fault that caused it; null without one.
    """
    late_ms, lag_ms = fn.col("t_ms") - fn.col("due_ms"), lag_of_arm()
    return (
        _removals(isr)
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .join(_fenced_spans(isr), ["run", "arm"], "left")
        .join(_faults_of_repeat(faults), REPEAT, "left")
        .withColumn("by_fence", _was_fenced())
        .withColumn("by_itself", ~fn.col("by_fence") & _stepped_down())
        .withColumn("by_rule", fn.col("by_fence") | fn.col("by_itself"))
        .withColumn("blamed", fn.when(~fn.col("by_rule"), _blamed(lag_ms)))
        .withColumn("due_ms", _due_ms(lag_ms))
        .withColumns(
            {
                "cause": _cause(),
                "fault_no": fn.col("blamed.fault_no"),
                "site": fn.col("blamed.site"),
                "moment": _moment(lag_ms),
                "late_ms": late_ms,
                "delayed": fn.coalesce(late_ms > _next_run_ms(lag_ms), fn.lit(False)),
            }
        )
    )


def _due_ms(lag_ms: Column) -> Column:
    """Return when the follower was first late; each new leader measures from its election."""
    begun = fn.greatest("blamed.injected_ms", "led_since_ms")
    return fn.when(fn.col("blamed").isNotNull(), begun + lag_ms)


def _next_run_ms(lag_ms: Column) -> Column:
    return lag_ms / 2 + fn.lit(SLACK_MS)


def _removals(isr: DataFrame) -> DataFrame:
    in_order = log_of(PARTITION_OF_ARM)
    before = in_order.rowsBetween(Window.unboundedPreceding, -1)
    leader_before = fn.lag("leader").over(in_order)
    new_leader = fn.coalesce(fn.col("leader") != leader_before, fn.lit(True))
    return (
        isr.where(fn.col("kind") == "partition")
        .withColumn("elected_ms", fn.when(new_leader, fn.col("t_ms")))
        .select(
            *PARTITION_OF_ARM,
            "t_ms",
            fn.when(leader_before >= 0, leader_before).otherwise(fn.col("leader")).alias("leader"),
            "leader_epoch",
            fn.last("elected_ms", ignorenulls=True).over(before).alias("led_since_ms"),
            fn.coalesce(
                (leader_before >= 0) & (fn.col("leader") >= 0) & new_leader, fn.lit(False)
            ).alias("handed_over"),
            fn.lag("isr").over(in_order).alias("isr_before"),
            fn.col("isr").alias("isr_after"),
        )
        .withColumn("removed", fn.array_except("isr_before", "isr_after"))
        .where(fn.size("removed") > 0)
    )


def _fenced_spans(isr: DataFrame) -> DataFrame:
    """Return one array per arm of the intervals in which a broker was fenced; there are few."""
    span = fn.struct("broker", fn.col("t_ms").alias("from_ms"), "until_ms")
    return (
        isr.where(fn.col("kind") == "broker")
        .withColumn("until_ms", until_next(BROKER_OF_ARM))
        .where("fenced")
        .groupBy("run", "arm")
        .agg(fn.collect_list(span).alias("fences"))
    )


def _faults_of_repeat(faults: DataFrame) -> DataFrame:
    """Return one array per repeat of its faults, in the order of injection."""
    fault = fn.struct(
        "injected_ms", "lifted_ms", "broker", words().alias("words"), "fault_no", "site"
    )
    return faults.groupBy(*REPEAT).agg(fn.array_sort(fn.collect_list(fault)).alias("faults"))


def _was_fenced() -> Column:
    def holds(fence: Column) -> Column:
        removed = fn.array_contains("removed", fence["broker"])
        return removed & (fence["from_ms"] <= fn.col("t_ms")) & (fn.col("t_ms") < fence["until_ms"])

    return fn.coalesce(fn.exists("fences", holds), fn.lit(False))


def _stepped_down() -> Column:
    """Return whether the leader left as another broker became leader, in an arm that allows it."""
    may = fn.col("arm").isin([arm for arm in arms.ARMS if arms.steps_down(arm)])
    return may & fn.col("handed_over") & fn.array_contains("removed", fn.col("leader"))


def _lifted(fault: Column) -> Column:
    """Return when a fault ended; one that was never lifted ends with its repeat."""
    return fn.coalesce(fault["lifted_ms"], fn.col("end_ms"))


def _blamed(lag_ms: Column) -> Column:
    """Return the latest fault at the leader or a removed replica that still has an effect."""
    at = fn.col("t_ms")

    def acts(fault: Column) -> Column:
        at_leader = fault["broker"] == fn.col("leader")
        concerned = at_leader | fn.array_contains("removed", fault["broker"])
        return concerned & at.between(fault["injected_ms"], _lifted(fault) + lag_ms)

    def old_enough(fault: Column) -> Column:
        return at >= fault["injected_ms"] + lag_ms - fn.lit(SLACK_MS)

    found = fn.filter("faults", acts)
    return fn.coalesce(
        fn.try_element_at(fn.filter(found, old_enough), fn.lit(-1)),
        fn.try_element_at(found, fn.lit(-1)),
    )


def _cause() -> Column:
    at_leader = fn.col("blamed.broker") == fn.col("leader")
    return (
        fn.when(fn.col("by_fence"), fn.lit("fenced"))
        .when(fn.col("by_itself"), fn.lit("stepped down"))
        .when(fn.col("blamed.words").isin(tagged("at_both_ends")), fn.col("blamed.words"))
        .when(at_leader, fn.concat(fn.lit("leader: "), "blamed.words"))
        .when(fn.col("blamed").isNotNull(), fn.concat(fn.lit("follower: "), "blamed.words"))
        .otherwise(fn.lit("lag"))
    )


def _moment(lag_ms: Column) -> Column:
    """Return when a shrink happened, relative to the faults of its repeat.

    A fault that began less than the lag before cannot cause a shrink. If another fault has just
    ended, the shrink is "on_lift" of that one.
    """
    at = fn.col("t_ms")

    def ripe(fault: Column) -> Column:
        return at.between(fault["injected_ms"] + lag_ms, _lifted(fault))

    def just_ended(fault: Column) -> Column:
        return (at > _lifted(fault)) & (at <= _lifted(fault) + _next_run_ms(lag_ms))

    def standing(fault: Column) -> Column:
        return at.between(fault["injected_ms"], _lifted(fault))

    def begun(fault: Column) -> Column:
        return fault["injected_ms"] <= at

    return (
        fn.when(fn.exists("faults", ripe), fn.lit("during"))
        .when(fn.exists("faults", just_ended), fn.lit("on_lift"))
        .when(fn.exists("faults", standing), fn.lit("during"))
        .when(fn.exists("faults", begun), fn.lit("after"))
        .when(fn.col("faults").isNotNull(), fn.lit("before"))
    )
