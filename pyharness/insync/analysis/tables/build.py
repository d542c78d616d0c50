"""Lists the transforms behind all tables, by layer and step.

Silver holds events, intervals and operations with keys; gold holds the figures computed from them.
Every transform takes and returns data frames over any number of runs; the table `runs` has their
settings.

A layer is computed in steps. The transforms of a step read the stored tables of earlier steps,
which keeps the plans short: Spark analyses a long plan for longer than it computes it. Steps that
do not need each other's tables run at the same time, because planning a step uses one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks import records
from insync.analysis.checks.base import History
from insync.analysis.checks.comparable import comparable
from insync.analysis.checks.isolation.cycles import SUSPECTS, cycles
from insync.analysis.checks.isolation.dependencies import dependencies
from insync.analysis.checks.isolation.transactions import transaction_fates
from insync.analysis.checks.registry import count_anomalies, find_anomalies
from insync.analysis.tables.bronze.lines import Events, input_lines
from insync.analysis.tables.gold import (
    acks,
    availability,
    followers,
    groups,
    policies,
    transactions,
)
from insync.analysis.tables.gold.catalogue import CYCLES
from insync.analysis.tables.gold.compare import over_repeats
from insync.analysis.tables.gold.end_to_end import end_to_end
from insync.analysis.tables.gold.metrics import repeat_metrics
from insync.analysis.tables.gold.recovery import recovery
from insync.analysis.tables.gold.unseen import unseen_over_time
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
from insync.analysis.tables.spark.inline_table import inline_table

Done = Mapping[str, DataFrame]
"""The tables of earlier steps, `runs` and `bronze`, by name."""
Named = Iterator[tuple[str, DataFrame]]
Step = Callable[[Done, Events], Named]


def _from_lines(done: Done, events: Events) -> Named:
    """Yield the tables that need only event lines."""
    yield "input_lines", input_lines(done["bronze"], done["runs"])
    yield "repeats", repeats(events.phases, events.produce)
    yield "faults", evidence.faults(events.faults)
    yield "agent_counters", evidence.agent_counters(events.counters, events.faults)
    yield "raced_replicas", races.raced_replicas(events.samples)
    yield "controller_agent", evidence.controller_agent(events.controller)
    yield "clocks", evidence.clocks(events.clocks)
    yield "liveness", evidence.liveness(events.liveness)


def _within_repeats(done: Done, events: Events) -> Named:
    """Yield the tables of events and intervals within repeats."""
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


def _combined(done: Done, events: Events) -> Named:
    """Yield the tables that combine changes of ISRs and leaders with other events."""
    windows, intervals, shrunk = done["repeats"], done["isr_intervals"], done["isr_shrinks"]
    yield "operations", operations(events.produce, intervals, windows)
    yield "leader_intervals", brokers.leader_intervals(intervals)
    yield "isr_expands", isr_expands(events.isr, shrunk, windows)
    with_lag = _with(shrunk, done["runs"], "lag_ms")
    drops = policies.follower_drops(with_lag, done["faults"], shrinks.lag_of_arm())
    yield "follower_drops", drops


def _clients(done: Done, events: Events) -> Named:
    """Yield the tables of the producers' figures."""
    windows = done["repeats"]
    # Transactional producers wait for commits, so their latency does not measure the brokers' acks.
    plain = done["operations"].where(transactions.is_plain())
    judged = due_inside(plain, windows)
    yield "latency_histogram", acks.latency_histogram(judged)
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield "ack_gaps", acks.ack_gaps(plain, done["partitions"])
    yield "errors", acks.errors(judged)
    planned = done["runs"].select("run", fn.inline("bursts"))
    yield "bursts", policies.bursts(judged, done["follower_drops"], planned)
    yield "pauses", followers.pauses(plain, done["faults"], done["isr_intervals"])
    yield "recovery", recovery(done["faults"], done["isr_intervals"], plain, windows)


def _cluster(done: Done, events: Events) -> Named:
    """Yield the tables of the brokers' figures."""
    intervals, holds_found = done["isr_intervals"], done["holds"]
    limited = _with(intervals, done["runs"], "min_insync_replicas")
    yield "availability", availability.availability(limited, fn.col("min_insync_replicas"))
    yield "added_replicas", followers.added_replicas(intervals)
    yield "isr_changes", isr_changes(done["isr_shrinks"], done["isr_expands"])
    yield "holds_by_site", holds.holds_by_site(holds_found)
    yield "detections", policies.detections(intervals, done["faults"])
    led = done["leader_intervals"]
    yield "brokers", brokers.brokers(intervals, led, done["isr_shrinks"], holds_found)


def _records(done: Done, events: Events) -> Named:
    """Yield what the checker's queries share."""
    produce, consume, read_back = done["operations"], events.consume, events.read_back
    ends, reads = events.transactions, events.transaction_reads
    yield "fates", records.record_fates(produce, consume, ends, read_back, reads)
    # One more than may be searched, so that the search can refuse them.
    yield "dependencies", dependencies(produce, ends, reads).limit(SUSPECTS + 1)
    logs = events.replica_logs
    yield "comparable", comparable(done["partitions"], logs, consume, events.isr, read_back)


def _checks(done: Done, events: Events) -> Named:
    """Yield the tables of the checker, insync.analysis.checks, but for the counts."""
    windows, fates = done["repeats"], done["fates"]
    yield "readback", records.readback(fates, done["comparable"])
    ended = transaction_fates(fates, events.transactions)
    yield "transactions", transactions.by_producer(events.transactions, ended, windows)
    yield "unseen_over_time", unseen_over_time(fates, windows)
    found = _cycles(done)
    yield "cycles", found
    yield "anomalies", find_anomalies(_history({**done, "cycles": found}, events))


def _cycles(done: Done) -> DataFrame:
    """Search the dependencies for cycles; a library does that in this process."""
    rows = [row.asDict() for row in done["dependencies"].collect()]
    found = list(cycles(rows)) if rows else []
    columns = [column.name for column in CYCLES.columns]
    of_run = ([row[name] for name in columns] for row in found)
    table = inline_table(done["runs"].sparkSession, [*of_run], CYCLES.schema)
    return table if found else table.limit(0)


def _history(done: Done, events: Events) -> History:
    return History(
        produce=done["operations"],
        consume=events.consume,
        group=events.group,
        transaction_reads=events.transaction_reads,
        isr=events.isr,
        roles=events.roles,
        batches=events.batches,
        fates=_with(done["fates"], done["runs"], "acks"),
        repeats=done["repeats"],
        partitions=done["partitions"],
        comparable=done["comparable"],
        cycles=done["cycles"],
    )


def _latencies(done: Done, events: Events) -> Named:
    """Yield the tables of latency percentiles."""
    counted = done["latency_histogram"]
    yield "ack_latency", acks.ack_latency(counted)
    yield "ack_latency_by_leader", acks.ack_latency_by_leader(counted)


def _counted(done: Done, events: Events) -> Named:
    """Yield the counts of anomalies."""
    yield "checked", count_anomalies(_history(done, events), done["anomalies"])


def _consumers(done: Done, events: Events) -> Named:
    """Yield the counts of anomalies, and the tables of the consumers' figures."""
    yield from _counted(done, events)
    yield "end_to_end", end_to_end(due_inside(done["fates"], done["repeats"]))
    yield "groups", groups.groups(events.group, events.consume)


def _repeat_metrics(done: Done, events: Events) -> Named:
    """Yield the metrics of each repeat."""
    yield "repeat_metrics", repeat_metrics(done)


def _over_repeats(done: Done, events: Events) -> Named:
    """Yield medians over repeats, and comparisons of arms."""
    medians, differences = over_repeats(done["repeat_metrics"], done["runs"])
    yield "medians", medians
    yield "differences", differences


Lane = tuple[Step, ...]
"""Steps that run one after the other."""
STAGES: Mapping[str, tuple[tuple[Lane, ...], ...]] = {
    "silver": (((_from_lines, _within_repeats, _combined),),),
    "gold": (
        ((_records, _checks, _consumers), (_clients, _latencies), (_cluster,)),
        ((_repeat_metrics, _over_repeats),),
    ),
}
"""The stages of each layer in order; the lanes of a stage run at the same time."""

CHECKER: tuple[Step, ...] = (
    _from_lines, _within_repeats, _combined, _records, _checks, _counted,
)  # fmt: skip
"""The steps for the tables of the checker, in order."""

LIVE: tuple[Step, ...] = (_from_lines, _within_repeats, _combined, _cluster)
"""The steps for the tables that `insync watch` shows, in order."""


def _with(rows: DataFrame, runs: DataFrame, *columns: str) -> DataFrame:
    """Add settings of its run to each row."""
    return rows.join(fn.broadcast(runs.select("run", *columns)), "run", "inner")
