"""All tables of a run, from its event lines: names and the transforms behind them."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql import DataFrame

from insync.events.run_info import RunInfo
from insync.tables import acks, availability, evidence, isr, policies, readback, shrinks
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
    "odd_records",
    "faults",
    "follower_drops",
    "detections",
    "bursts",
    "agent_counters",
    "controller_agent",
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
    judged = due_inside(events.produce, windows)
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield "ack_latency", acks.ack_latency(judged)
    yield "ack_gaps", acks.ack_gaps(events.produce, grid)

    fates = readback.record_fates(events.produce, events.consume).cache()
    yield "readback", readback.readback(fates, grid)
    yield "odd_records", readback.odd_records(fates)

    faults = evidence.faults(events.faults).cache()
    intervals = isr.isr_intervals(events.isr, windows).cache()
    lag_ms = scenario.broker.replica_lag_time_max_ms
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
    yield "controller_agent", evidence.controller_agent(events.controller)
    yield "input_lines", events.input_lines
