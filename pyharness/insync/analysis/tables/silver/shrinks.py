"""The ISR changes that removed a member: what each is put down to, and whether it came late.

What a shrink is put down to, `cause`: "fenced" (a removed replica's broker was fenced by
then); else "stepped down" (in an arm whose leaders may: the leader itself left, as another one
came to lead); else the latest fault that could still be felt (it stood, or had ended within one
replica.lag.time.max.ms) at the partition's leader ("leader: FAULT") or at a removed replica
("follower: FAULT"; "link" is neither's), and of those rather one that is old enough to make a
follower due; else "lag".

A follower falls due replica.lag.time.max.ms after the fault began, or after its leader did if
that was later, and isr-expiration looks every half of that. A shrink that came later than the
next look is `delayed`: something kept the task, or the leader, from acting.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as fn

from insync import arms
from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC_OF_ARM
from insync.analysis.tables.silver.evidence import words
from insync.analysis.tables.silver.isr import BROKER_OF_ARM, PARTITION_OF_ARM, log_of, until_next
from insync.faults.registry import tagged

SLACK_MS = 500.0
"""How much later than its period isr-expiration, and the controller after it, may act."""


def lag_of_arm() -> Column:
    """Return replica.lag.time.max.ms of a row's arm, by `lag_ms`, which is its scenario's."""
    factors = [(fn.lit(name), fn.lit(arms.lag_factor(name))) for name in arms.ARMS]
    of_arm = fn.create_map(*(part for pair in factors for part in pair))
    return fn.col("lag_ms") * fn.coalesce(fn.try_element_at(of_arm, fn.col("arm")), fn.lit(1))


def isr_shrinks(isr: DataFrame, faults: DataFrame, repeats: DataFrame, lag_ms: Column) -> DataFrame:
    """One row per ISR change inside a repeat that removed a member.

    `faults` is the table of that name; `lag_ms` is replica.lag.time.max.ms. `leader` is the
    one that led before the change, `fault_no` and `site` are the fault's that
    the shrink is put down to.
    `moment`: "before" the first fault, "during" one, "on_lift" (within one isr-expiration
    period after one ended), "after"; null where the repeat had no fault. `due_ms` (epoch) and
    `late_ms` count from the blamed fault; null without one.
    """
    late_ms = fn.col("t_ms") - fn.col("due_ms")
    return (
        _removals(isr)
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
        .join(_fenced_spans(isr), ["run", "arm"], "left")
        .join(_faults_of_repeat(faults), REPEAT, "left")
        .withColumn("by_fence", _was_fenced())
        .withColumn("by_itself", ~fn.col("by_fence") & _stepped_down())
        .withColumn("by_rule", fn.col("by_fence") | fn.col("by_itself"))
        .withColumn("blamed", fn.when(~fn.col("by_rule"), _last_felt(lag_ms)))
        .withColumn("due_ms", _due_ms(lag_ms))
        .select(
            *PARTITION,
            "t_ms",
            "leader",
            "leader_epoch",
            "isr_before",
            "isr_after",
            "removed",
            _cause().alias("cause"),
            fn.col("blamed.fault_no").alias("fault_no"),
            fn.col("blamed.site").alias("site"),
            _moment(lag_ms).alias("moment"),
            "due_ms",
            late_ms.alias("late_ms"),
            fn.coalesce(late_ms > _next_look_ms(lag_ms), fn.lit(False)).alias("delayed"),
        )
    )


def _due_ms(lag_ms: Column) -> Column:
    """When the leader could first find the follower late; a new leader gives all a fresh start."""
    begun = fn.greatest("blamed.injected_ms", "led_since_ms")
    return fn.when(fn.col("blamed").isNotNull(), begun + lag_ms)


def _next_look_ms(lag_ms: Column) -> Column:
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
    """Per arm, one array of the spans in which a broker was fenced: control events, so few."""
    span = fn.struct("broker", fn.col("t_ms").alias("from_ms"), "until_ms")
    return (
        isr.where(fn.col("kind") == "broker")
        .withColumn("until_ms", until_next(BROKER_OF_ARM))
        .where("fenced")
        .groupBy("run", "arm")
        .agg(fn.collect_list(span).alias("fences"))
    )


def _faults_of_repeat(faults: DataFrame) -> DataFrame:
    """Per repeat, its faults in the order they were injected."""
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
    """Whether it is the leader that left, as another came to lead, where a leader may do so."""
    may = fn.col("arm").isin([arm for arm in arms.ARMS if arms.steps_down(arm)])
    return may & fn.col("handed_over") & fn.array_contains("removed", fn.col("leader"))


def _lifted(fault: Column) -> Column:
    """When a fault ended; one that never did lasts as long as its repeat."""
    return fn.coalesce(fault["lifted_ms"], fn.col("end_ms"))


def _last_felt(lag_ms: Column) -> Column:
    """Return the latest fault, at leader or removed replica, that can still be felt."""
    at = fn.col("t_ms")

    def felt(fault: Column) -> Column:
        at_leader = fault["broker"] == fn.col("leader")
        concerned = at_leader | fn.array_contains("removed", fault["broker"])
        return concerned & at.between(fault["injected_ms"], _lifted(fault) + lag_ms)

    def old_enough(fault: Column) -> Column:
        return at >= fault["injected_ms"] + lag_ms - fn.lit(SLACK_MS)

    found = fn.filter("faults", felt)
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
    """Say where a shrink fell among the faults of its repeat.

    A fault younger than the lag is no reason for a shrink yet: just after another one's
    end, that end is.
    """
    at = fn.col("t_ms")

    def ripe(fault: Column) -> Column:
        return at.between(fault["injected_ms"] + lag_ms, _lifted(fault))

    def just_ended(fault: Column) -> Column:
        return (at > _lifted(fault)) & (at <= _lifted(fault) + _next_look_ms(lag_ms))

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
