"""All tables over all runs: which layer each is of, and the transform behind it.

Silver is what happened, cleaned and keyed; gold is what it comes to. Every transform takes
and returns data frames over any number of runs; what a run was asked for stands in `runs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.tables import acks, availability, evidence, holds, isr, leaders, readback, shrinks
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
    asked = runs.select("run", "partitions", "lag_ms")
    windows = repeats(events.phases, events.produce).cache()
    planned = windows.join(fn.broadcast(asked), "run", "inner")
    yield "repeats", windows
    yield "partitions", partitions(planned, fn.col("partitions"))

    faults = evidence.faults(events.faults).cache()
    intervals = isr.isr_intervals(events.isr, windows).cache()
    shrunk = shrinks.isr_shrinks(events.isr, faults, planned, fn.col("lag_ms")).cache()
    yield "faults", faults
    yield "isr_intervals", intervals
    yield "leader_intervals", leaders.leader_intervals(intervals)
    yield "isr_shrinks", shrunk
    yield "isr_expands", isr_expands(events.isr, shrunk, windows)
    yield "holds", holds.holds(events.broker_events, windows, faults)
    yield "agent_counters", evidence.agent_counters(events.counters)
    yield "operations", operations(events.produce, intervals, windows)
    yield "reads", events.consume.select(*readback.READ)


def gold(tables: Mapping[str, DataFrame]) -> Named:
    """Yield every gold table by name; `tables` are silver's."""
    done: dict[str, DataFrame] = dict(tables)
    runs = done["runs"]

    def told(name: str, table: DataFrame) -> tuple[str, DataFrame]:
        done[name] = table.cache()
        return name, done[name]

    windows, grid, intervals = (done[n] for n in ("repeats", "partitions", "isr_intervals"))
    sent = done["operations"]
    judged = due_inside(sent, windows)
    counted = acks.latency_histogram(judged)
    yield told("latency_histogram", counted)
    yield told("ack_latency", acks.ack_latency(done["latency_histogram"]))
    yield "ack_latency_by_leader", acks.ack_latency_by_leader(done["latency_histogram"])
    yield "latency_over_time", acks.latency_over_time(judged, windows)
    yield told("ack_gaps", acks.ack_gaps(sent, grid))
    yield "errors", acks.errors(judged)

    fates = readback.record_fates(sent, done["reads"]).cache()
    yield told("readback", readback.readback(fates, grid))
    yield "odd_records", readback.odd_records(fates)

    limits = fn.broadcast(runs.select("run", "min_insync_replicas"))
    limited = intervals.join(limits, "run", "inner")
    least = fn.col("min_insync_replicas")
    yield told("availability", availability.availability(limited, least))
    yield "isr_changes", isr_changes(done["isr_shrinks"], done["isr_expands"])
    yield "holds_by_site", holds.holds_by_site(done["holds"])
    yield (
        "brokers",
        leaders.brokers(intervals, done["leader_intervals"], done["isr_shrinks"], done["holds"]),
    )
    yield told("recovery", recovery(done["faults"], intervals, sent, windows))
    yield told("repeat_metrics", repeat_metrics(done, runs))
    yield "medians", medians(done["repeat_metrics"])
    yield "differences", differences(done["repeat_metrics"], runs)
