"""All tables of a run, from its event lines: names and the transforms behind them."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from insync.checks import records, replicas
from insync.checks.anomalies import History, anomalies, checked
from insync.checks.transactions import transaction_fates
from insync.events.run_info import RunInfo
from insync.tables import (
    acks,
    availability,
    evidence,
    isr,
    leaders,
    policies,
    races,
    shrinks,
    step_downs,
    transactions,
)
from insync.tables.read import Events
from insync.tables.repeats import due_inside, partitions, repeats

TABLES = (
    "repeats",
    "isr_intervals",
    "isr_shrinks",
    "availability",
    "ack_latency",
    "ack_gaps",
    "latency_over_time",
    "readback",
    "anomalies",
    "checked",
    "comparable",
    "transactions",
    "faults",
    "follower_drops",
    "detections",
    "bursts",
    "agent_counters",
    "raced_replicas",
    "controller_agent",
    "leader_changes",
    "dead_followers",
    "step_downs",
    "step_down_sources",
    "input_lines",
)


def build_tables(events: Events, run: RunInfo) -> Iterator[tuple[str, DataFrame]]:
    """Yield every table of `TABLES` by name, as a plan that has not run yet.

    They come one by one, so that the first can be written while the next is planned.
    What several tables rest on is marked to be kept once computed.
    """
    scenario = run.scenario
    windows = repeats(events.phases, events.produce).cache()
    grid = partitions(windows, run.partitions).cache()
    yield "repeats", windows
    # What is written in transactions waits for its own pace: no measure of the brokers' acks.
    plain = events.produce.where(transactions.is_plain())
    judged = due_inside(plain, windows)
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield "ack_latency", acks.ack_latency(judged)
    yield "ack_gaps", acks.ack_gaps(plain, grid)

    yield from _check(events, windows, grid)

    faults = evidence.faults(events.faults).cache()
    intervals = isr.isr_intervals(events.isr, windows).cache()
    lag_ms = shrinks.lag_of(run.arms, scenario.broker.replica_lag_time_max_ms)
    yield "faults", faults
    yield "isr_intervals", intervals
    shrunk = shrinks.isr_shrinks(events.isr, faults, windows, lag_ms).cache()
    yield "isr_shrinks", shrunk
    yield "availability", availability.availability(intervals, scenario.min_insync_replicas)

    drops = policies.follower_drops(shrunk, faults, lag_ms).cache()
    yield "follower_drops", drops
    yield "detections", policies.detections(intervals, faults)
    yield "bursts", policies.bursts(judged, drops, scenario.workload.bursts)

    yield "agent_counters", evidence.agent_counters(events.counters)
    yield "raced_replicas", races.raced_replicas(events.samples)
    yield "controller_agent", evidence.controller_agent(events.controller)

    yield "leader_changes", leaders.leader_changes(events.isr, faults, windows)
    yield "dead_followers", leaders.dead_followers(events.isr, faults, windows)
    cooldown_ms = scenario.broker.leader_relinquish_cooldown_ms
    yield "step_downs", step_downs.step_downs(events.step_downs, windows, cooldown_ms)
    yield "step_down_sources", step_downs.step_down_sources(events.step_downs, windows)
    yield "input_lines", events.input_lines


def _check(events: Events, windows: DataFrame, grid: DataFrame) -> Iterator[tuple[str, DataFrame]]:
    """Yield what insync.checks has to say."""
    fates = _kept(records.record_fates(events.produce, events.consume, events.transactions))
    yield "readback", records.readback(fates, grid)
    ended = transaction_fates(fates, events.transactions)
    yield "transactions", transactions.by_producer(events.transactions, ended, windows)
    comparable = _kept(replicas.comparable(events.replica_logs, events.consume, events.isr))
    yield "comparable", comparable
    history = History(
        produce=events.produce,
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


def _kept(table: DataFrame) -> DataFrame:
    """Return a table that is computed once, and whose plan does not grow into those upon it.

    A cached one would: the analysis of what rests ten times on it then takes longer than the work.
    """
    return table.localCheckpoint(eager=False)
