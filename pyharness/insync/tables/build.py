"""All tables over all runs: which layer each is of, and the transform behind it.

Silver is what happened, cleaned and keyed; gold is what it comes to. Every transform takes
and returns data frames over any number of runs; what a run was asked for stands in `runs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.checks import records, replicas
from insync.checks.anomalies import History, anomalies, checked
from insync.checks.transactions import transaction_fates
from insync.tables import (
    acks,
    availability,
    brokers,
    evidence,
    holds,
    isr,
    leaders,
    policies,
    races,
    shrinks,
    step_downs,
    transactions,
)
from insync.tables.bronze import Events
from insync.tables.compare import differences
from insync.tables.expands import isr_changes, isr_expands
from insync.tables.metrics import medians, repeat_metrics
from insync.tables.operations import operations
from insync.tables.recovery import recovery
from insync.tables.repeats import due_inside, partitions, repeats

Named = Iterator[tuple[str, DataFrame]]


def silver(events: Events, runs: DataFrame) -> Named:
    """Yield every silver table by name, as a plan that has not run yet.

    They come one by one, so that the first can be written while the next is planned.
    What several tables rest on is marked to be kept once computed.
    """
    windows = repeats(events.phases, events.produce).cache()
    asked = runs.select("run", "partitions", "lag_ms", "cooldown_ms")
    planned = windows.join(fn.broadcast(asked), "run", "inner")
    yield "repeats", windows
    yield "partitions", partitions(planned, fn.col("partitions"))

    faults = evidence.faults(events.faults).cache()
    intervals = isr.isr_intervals(events.isr, windows).cache()
    shrunk = shrinks.isr_shrinks(events.isr, faults, planned, shrinks.lag_of_arm()).cache()
    yield "faults", faults
    yield "isr_intervals", intervals
    yield "leader_intervals", brokers.leader_intervals(intervals)
    yield "isr_shrinks", shrunk
    yield "isr_expands", isr_expands(events.isr, shrunk, windows)
    with_lag = shrunk.join(fn.broadcast(asked), "run", "inner")
    yield "follower_drops", policies.follower_drops(with_lag, faults, shrinks.lag_of_arm())
    yield "leader_changes", leaders.leader_changes(events.isr, faults, windows)
    yield "dead_followers", leaders.dead_followers(events.isr, faults, windows)
    yield "holds", holds.holds(events.broker_events, windows, faults)
    yield "agent_counters", evidence.agent_counters(events.counters)
    yield "raced_replicas", races.raced_replicas(events.samples)
    yield "controller_agent", evidence.controller_agent(events.controller)
    cooldown_ms = fn.col("cooldown_ms")
    yield "step_downs", step_downs.step_downs(events.step_downs, planned, cooldown_ms)
    yield "step_down_sources", step_downs.step_down_sources(events.step_downs, windows)
    yield "operations", operations(events.produce, intervals, windows)


def gold(tables: Mapping[str, DataFrame], events: Events) -> Named:
    """Yield every gold table by name; `tables` are silver's, `events` bronze's lines."""
    done: dict[str, DataFrame] = dict(tables)
    for each in (_clients, _check, of_cluster, _overall):
        for name, table in each(done, events):
            done[name] = table
            yield name, table


def _clients(done: Mapping[str, DataFrame], events: Events) -> Named:
    """Yield how the producers fared."""
    windows = done["repeats"]
    # What is written in transactions waits for its own pace: no measure of the brokers' acks.
    plain = done["operations"].where(transactions.is_plain())
    judged = due_inside(plain, windows)
    counted = acks.latency_histogram(judged).cache()
    yield "latency_histogram", counted
    yield "ack_latency", acks.ack_latency(counted).cache()
    yield "ack_latency_by_leader", acks.ack_latency_by_leader(counted)
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield "ack_gaps", acks.ack_gaps(plain, done["partitions"]).cache()
    yield "errors", acks.errors(judged)
    planned = done["runs"].select("run", fn.explode("bursts").alias("partition", "records"))
    yield "bursts", policies.bursts(judged, done["follower_drops"], planned)
    recovered = recovery(done["faults"], done["isr_intervals"], plain, windows)
    yield "recovery", recovered.cache()


def _check(done: Mapping[str, DataFrame], events: Events) -> Named:
    """Yield what insync.checks has to say."""
    windows, grid, sent = done["repeats"], done["partitions"], done["operations"]
    fates = _kept(records.record_fates(sent, events.consume, events.transactions))
    yield "readback", records.readback(fates, grid).cache()
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


def of_cluster(done: Mapping[str, DataFrame], events: Events) -> Named:
    """Yield how the brokers fared."""
    intervals, holds_found = done["isr_intervals"], done["holds"]
    limits = fn.broadcast(done["runs"].select("run", "min_insync_replicas"))
    limited = intervals.join(limits, "run", "inner")
    least = fn.col("min_insync_replicas")
    yield "availability", availability.availability(limited, least).cache()
    yield "isr_changes", isr_changes(done["isr_shrinks"], done["isr_expands"])
    yield "holds_by_site", holds.holds_by_site(holds_found)
    yield "detections", policies.detections(intervals, done["faults"])
    led = done["leader_intervals"]
    yield "brokers", brokers.brokers(intervals, led, done["isr_shrinks"], holds_found)


def _overall(done: Mapping[str, DataFrame], events: Events) -> Named:
    """Yield what repeats come to, and how arms compare over them."""
    metrics = repeat_metrics(done).cache()
    yield "repeat_metrics", metrics
    yield "medians", medians(metrics)
    yield "differences", differences(metrics, done["runs"])


def _kept(table: DataFrame) -> DataFrame:
    """Return a table that is computed once, and whose plan does not grow into those upon it.

    A cached one would: the analysis of what rests ten times on it then takes longer than the work.
    """
    return table.localCheckpoint(eager=False)
