"""All tables over all runs: which layer each is of, and the transform behind it.

Silver is what happened, cleaned and keyed; gold is what it comes to. Every transform takes
and returns data frames over any number of runs; what a run was asked for stands in `runs`.

A layer is made in steps. The tables of a step rest on those of the steps before as they were
written, so that no plan grows: the analysis of a long one takes longer than its work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks import records, replicas
from insync.analysis.checks.anomalies import History, anomalies, checked
from insync.analysis.checks.transactions import transaction_fates
from insync.analysis.tables.bronze.lines import Events
from insync.analysis.tables.gold import acks, availability, policies, transactions
from insync.analysis.tables.gold.compare import differences
from insync.analysis.tables.gold.metrics import medians, repeat_metrics
from insync.analysis.tables.gold.recovery import recovery
from insync.analysis.tables.silver import (
    brokers,
    evidence,
    holds,
    isr,
    leaders,
    races,
    shrinks,
    step_downs,
)
from insync.analysis.tables.silver.expands import isr_changes, isr_expands
from insync.analysis.tables.silver.operations import operations
from insync.analysis.tables.silver.repeats import due_inside, partitions, repeats

Done = Mapping[str, DataFrame]
"""The tables of the steps before, and `runs`, by name."""
Named = Iterator[tuple[str, DataFrame]]
Step = Callable[[Done, Events], Named]


def _told(done: Done, events: Events) -> Named:
    """Yield what the lines themselves tell."""
    yield "repeats", repeats(events.phases, events.produce)
    yield "faults", evidence.faults(events.faults)
    yield "agent_counters", evidence.agent_counters(events.counters)
    yield "raced_replicas", races.raced_replicas(events.samples)
    yield "controller_agent", evidence.controller_agent(events.controller)


def _inside(done: Done, events: Events) -> Named:
    """Yield what happened inside of the repeats."""
    windows, faults = done["repeats"], done["faults"]
    planned = _with(windows, done["runs"], "partitions", "lag_ms", "cooldown_ms")
    yield "partitions", partitions(planned, fn.col("partitions"))
    yield "isr_intervals", isr.isr_intervals(events.isr, windows)
    yield "isr_shrinks", shrinks.isr_shrinks(events.isr, faults, planned, shrinks.lag_of_arm())
    yield "leader_changes", leaders.leader_changes(events.isr, faults, windows)
    yield "dead_followers", leaders.dead_followers(events.isr, faults, windows)
    yield "holds", holds.holds(events.broker_events, windows, faults)
    cooldown_ms = fn.col("cooldown_ms")
    yield "step_downs", step_downs.step_downs(events.step_downs, planned, cooldown_ms)
    yield "step_down_sources", step_downs.step_down_sources(events.step_downs, windows)


def _followed(done: Done, events: Events) -> Named:
    """Yield what follows from the changes of ISRs and leaders."""
    windows, intervals, shrunk = done["repeats"], done["isr_intervals"], done["isr_shrinks"]
    yield "operations", operations(events.produce, intervals, windows)
    yield "leader_intervals", brokers.leader_intervals(intervals)
    yield "isr_expands", isr_expands(events.isr, shrunk, windows)
    with_lag = _with(shrunk, done["runs"], "lag_ms")
    drops = policies.follower_drops(with_lag, done["faults"], shrinks.lag_of_arm())
    yield "follower_drops", drops


def _clients(done: Done, events: Events) -> Named:
    """Yield how the producers fared."""
    windows = done["repeats"]
    # What is written in transactions waits for its own pace: no measure of the brokers' acks.
    plain = done["operations"].where(transactions.is_plain())
    judged = due_inside(plain, windows)
    yield "latency_histogram", acks.latency_histogram(judged)
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield "ack_gaps", acks.ack_gaps(plain, done["partitions"])
    yield "errors", acks.errors(judged)
    planned = done["runs"].select("run", fn.inline("bursts"))
    yield "bursts", policies.bursts(judged, done["follower_drops"], planned)
    yield "recovery", recovery(done["faults"], done["isr_intervals"], plain, windows)


def _cluster(done: Done, events: Events) -> Named:
    """Yield how the brokers fared."""
    intervals, holds_found = done["isr_intervals"], done["holds"]
    limited = _with(intervals, done["runs"], "min_insync_replicas")
    yield "availability", availability.availability(limited, fn.col("min_insync_replicas"))
    yield "isr_changes", isr_changes(done["isr_shrinks"], done["isr_expands"])
    yield "holds_by_site", holds.holds_by_site(holds_found)
    yield "detections", policies.detections(intervals, done["faults"])
    led = done["leader_intervals"]
    yield "brokers", brokers.brokers(intervals, led, done["isr_shrinks"], holds_found)


def check(done: Done, events: Events) -> Named:
    """Yield what insync.analysis.checks has to say."""
    windows, grid, sent = done["repeats"], done["partitions"], done["operations"]
    fates = _kept(records.record_fates(sent, events.consume, events.transactions))
    yield "readback", records.readback(fates, grid)
    ended = transaction_fates(fates, events.transactions)
    yield "transactions", transactions.by_producer(events.transactions, ended, windows)
    comparable = _kept(replicas.comparable(events.replica_logs, events.consume, events.isr))
    yield "comparable", comparable
    history = History(
        produce=sent,
        consume=events.consume,
        isr=events.isr,
        roles=events.roles,
        batches=events.batches,
        fates=fates,
        repeats=windows,
        partitions=grid,
        comparable=comparable,
    )
    found = _kept(anomalies(history))
    yield "anomalies", found
    yield "checked", checked(history, found)


def _latencies(done: Done, events: Events) -> Named:
    """Yield the percentiles."""
    counted = done["latency_histogram"]
    yield "ack_latency", acks.ack_latency(counted)
    yield "ack_latency_by_leader", acks.ack_latency_by_leader(counted)


def _each_repeat(done: Done, events: Events) -> Named:
    """Yield what each repeat comes to."""
    yield "repeat_metrics", repeat_metrics(done)


def _overall(done: Done, events: Events) -> Named:
    """Yield what repeats come to together, and how arms compare over them."""
    yield "medians", medians(done["repeat_metrics"])
    yield "differences", differences(done["repeat_metrics"], done["runs"])


STEPS: Mapping[str, tuple[tuple[Step, ...], ...]] = {
    "silver": ((_told,), (_inside,), (_followed,)),
    "gold": ((_clients, _cluster, check), (_latencies,), (_each_repeat,), (_overall,)),
}
"""Each layer's steps in order, and what a step consists of."""

LIVE: tuple[Step, ...] = (_told, _inside, _followed, _cluster)
"""The steps that tell how the brokers of a run fare, in order."""


def _with(rows: DataFrame, runs: DataFrame, *columns: str) -> DataFrame:
    """Add to each row what its run was asked for."""
    return rows.join(fn.broadcast(runs.select("run", *columns)), "run", "inner")


def _kept(table: DataFrame) -> DataFrame:
    """Return a table that is computed once, and whose plan does not grow into those upon it.

    A cached one would: the analysis of what rests ten times on it then takes longer than the work.
    """
    return table.localCheckpoint(eager=False)
