"""Finds leaders and ISRs over time, and the followers that stopped fetching; lists step-downs.

A change is `planned` if the scenario asked for the election of this broker at that time, and
`unclean` if that was to be an unclean one.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as fn

from insync.analysis.checks.history import PARTITION, PARTITION_OF_ARM, REPEAT, TOPIC_OF_ARM
from insync.faults.registry import KINDS, tagged

ELECTED_WITHIN_MS = 1_000.0
"""How far an election's record may be from the time of the harness's request for it."""
UNCLEAN = "unclean"


def leader_changes(isr: DataFrame, faults: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per change of a partition's leader within a repeat.

    `leader_before` is the last leader that the partition had: an interval without a leader is not
    a change. `faults` is the table of that name.
    """
    earlier = log_of(PARTITION_OF_ARM).rowsBetween(Window.unboundedPreceding, -1)
    leads = fn.when(fn.col("leader") >= 0, fn.col("leader"))
    changes = (
        isr.where(fn.col("kind") == "partition")
        .withColumn("leader_before", fn.last(leads, ignorenulls=True).over(earlier))
        .where((fn.col("leader") >= 0) & (fn.col("leader") != fn.col("leader_before")))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
    )
    flags = {"planned": _asked_for, "unclean": _asked_for_unclean}
    return changes.join(_elections(faults), REPEAT, "left").withColumns(
        {
            name: fn.coalesce(fn.exists("elections", asked), fn.lit(False))
            for name, asked in flags.items()
        }
    )


def _elections(faults: DataFrame) -> DataFrame:
    election = fn.struct("broker", "target", "mode", "injected_ms", "lifted_ms")
    return (
        faults.where(fn.col("fault").isin(tagged("moves_leaders")))
        .groupBy(*REPEAT)
        .agg(fn.collect_list(election).alias("elections"))
    )


def _asked_for(election: Column) -> Column:
    at, slack = fn.col("t_ms"), fn.lit(ELECTED_WITHIN_MS)
    return (
        (election["broker"] == fn.col("leader"))
        & fn.array_contains(election["target"], _name())
        & at.between(election["injected_ms"] - slack, election["lifted_ms"] + slack)
    )


def _asked_for_unclean(election: Column) -> Column:
    return _asked_for(election) & (election["mode"] == UNCLEAN)


def _name() -> Column:
    """Return a partition's name as in the faults' targets."""
    return fn.concat_ws("-", "topic", fn.col("partition").cast("string"))


def dead_followers(isr: DataFrame, faults: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per fault and partition whose follower, in the ISR, stopped fetching by it.

    `took_ms` is how long it stayed in the ISR; null if it was not removed before the repeat's end.
    """
    states = (
        isr.where(fn.col("kind") == "partition")
        .join(repeats.select(*REPEAT, "topic", "end_ms"), TOPIC_OF_ARM, "inner")
        .join(_silencing(faults), REPEAT, "inner")
        .where(fn.expr("size(target) = 0") | fn.array_contains("target", _name()))
    )
    until_then = fn.col("t_ms") <= fn.col("injected_ms")
    out = ~fn.array_contains("isr", fn.col("silent"))
    dropped = ~until_then & out & (fn.col("t_ms") <= fn.col("end_ms"))
    at_the_time = fn.struct("t_ms", "line", "leader", "isr")
    return (
        states.groupBy(*PARTITION, "fault_no", "silent", "injected_ms")
        .agg(
            fn.max(fn.when(until_then, at_the_time)).alias("state"),
            fn.min(fn.when(dropped, fn.col("t_ms"))).alias("dropped_ms"),
        )
        .where(fn.col("state.leader") != fn.col("silent"))
        .where(fn.array_contains("state.isr", fn.col("silent")))
        .select(
            *PARTITION,
            "fault_no",
            fn.col("silent").alias("broker"),
            (fn.col("dropped_ms") - fn.col("injected_ms")).alias("took_ms"),
        )
    )


def _silencing(faults: DataFrame) -> DataFrame:
    """Return the faults by which a broker ceases to follow; `target` is empty where all."""
    of_some = _stops_following_some()
    return faults.where(fn.col("fault").isin(tagged("stops_following")) | of_some).select(
        *REPEAT,
        "fault_no",
        fn.col("broker").alias("silent"),
        fn.when(of_some, fn.col("target"))
        .otherwise(fn.array().cast("array<string>"))
        .alias("target"),
        "injected_ms",
    )


def _stops_following_some() -> Column:
    """Whether a fault's broker ceases to follow the partitions of its target, and only those."""
    found = fn.lit(False)
    for name in tagged("stops_following_at"):
        sites = KINDS[name].tags.stops_following_at
        found |= (fn.col("fault") == name) & fn.col("site").isin(*sites)
    return found


BROKER_OF_ARM = ("run", "arm", "broker")
_FOREVER = float("inf")


def log_of(keys: tuple[str, ...]) -> WindowSpec:
    """Return a window over one partition or broker, in the order of the controller's log."""
    return Window.partitionBy(*keys).orderBy("t_ms", "line")


def until_next(keys: tuple[str, ...]) -> Column:
    """Return the time of the next change of the partition or broker (epoch; infinity if none)."""
    return fn.coalesce(fn.lead("t_ms").over(log_of(keys)), fn.lit(_FOREVER))


def isr_intervals(isr: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the intervals of constant leader and ISR per partition, clipped to their repeat."""
    return (
        isr.where(fn.col("kind") == "partition")
        .withColumn("until_ms", until_next(PARTITION_OF_ARM))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .select(
            *PARTITION,
            "leader",
            "leader_epoch",
            "isr",
            fn.size("isr").alias("isr_size"),
            "replicas",
            "adding",
            fn.greatest("t_ms", fn.col("start_ms")).alias("start_ms"),
            fn.least("until_ms", fn.col("end_ms")).alias("end_ms"),
        )
        .where(fn.col("end_ms") > fn.col("start_ms"))
    )


DONE = "done"
WITHHELD = "withheld"


def step_downs(lines: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return one row per answered request of a leader to step down, and per decision not to ask.

    `t_ms` is the time (epoch), `broker` the leader, `successor` the proposed leader. `outcome` is
    done, refused, failed or withheld. `in_cooldown` is how many step-downs of the partition were
    done within one cool-down from this one on, including it; null if this one was not done.
    `repeats` has the `cooldown_ms` of its run.
    """
    decided = (
        lines.where(fn.col("type").isin("answered", WITHHELD))
        .withColumn("outcome", fn.coalesce("outcome", fn.lit(WITHHELD)))
        .join(repeats, TOPIC_OF_ARM, "inner")
        .where(fn.col("t_ms").between(fn.col("start_ms"), fn.col("end_ms")))
    )
    done = fn.col("outcome") == DONE
    in_cooldowns = Window.partitionBy(*PARTITION, done).orderBy(
        fn.col("t_ms") / fn.col("cooldown_ms")
    )
    soon = in_cooldowns.rangeBetween(0, 1)
    return decided.withColumn("in_cooldown", fn.when(done, fn.count(fn.lit(1)).over(soon)))


def step_down_sources(lines: DataFrame, repeats: DataFrame) -> DataFrame:
    """Return the brokers of each repeat whose step-down events were read; others are unknown."""
    read = lines.where(fn.col("type") == "read").select("run", "arm", "broker").distinct()
    return repeats.select(*REPEAT).join(read, ["run", "arm"], "inner")
