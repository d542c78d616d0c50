"""Lists how every table is computed, and from which others.

Silver holds events, intervals and operations with keys; gold holds the figures computed from them.
Every transform takes and returns data frames over any number of runs; the table `runs` has their
settings. A step reads stored tables, which keeps the plans short, and runs as soon as these are
complete. Event lines are named `KIND.lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.checks import records
from insync.analysis.checks.comparable import comparable
from insync.analysis.checks.isolation.cycles import SUSPECTS, cycles
from insync.analysis.checks.isolation.dependencies import dependencies
from insync.analysis.checks.isolation.transactions import transaction_fates
from insync.analysis.checks.registry import (
    CHECKS,
    count_anomalies,
    first_of_each,
    known_by,
)
from insync.analysis.tables.gold import acks, clients, followers
from insync.analysis.tables.gold.acks import end_to_end
from insync.analysis.tables.gold.compare import MADE_OF, differences, medians, repeat_metrics
from insync.analysis.tables.gold.followers import recovery
from insync.analysis.tables.rows import Row
from insync.analysis.tables.silver import evidence, leaders, shrinks
from insync.analysis.tables.silver.repeats import due_inside, operations, partitions, repeats


@dataclass(frozen=True)
class Step:
    """How the table `name` is computed, or the part of it that is called `part`.

    `of` gets the tables that `needs` names, then those of `also`, then those of `maybe`. Without
    rows in one of `needs` there are none, and `of` is not called. Instead of a table in `maybe`
    without rows it gets None.
    """

    name: str
    of: Callable[..., DataFrame]
    needs: tuple[str, ...]
    also: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    part: str = ""

    @property
    def reads(self) -> tuple[str, ...]:
        """Return every table that the step reads."""
        return (*self.needs, *self.also, *self.maybe)


@dataclass(frozen=True)
class RowsStep:
    """How a table is computed in this process, by `of`, from the tables in `reads`."""

    name: str
    of: Callable[..., list[Row]]
    reads: tuple[str, ...]


AnyStep = Step | RowsStep


def _with(rows: DataFrame, runs: DataFrame, *columns: str) -> DataFrame:
    """Add settings of its run to each row."""
    return rows.join(fn.broadcast(runs.select("run", *columns)), "run", "inner")


def _partitions(windows: DataFrame, runs: DataFrame) -> DataFrame:
    return partitions(_with(windows, runs, "partitions"), fn.col("partitions"))


def _isr_shrinks(
    lines: DataFrame, windows: DataFrame, faults: DataFrame, runs: DataFrame
) -> DataFrame:
    planned = _with(windows, runs, "lag_ms")
    return shrinks.isr_shrinks(lines, faults, planned, shrinks.lag_of_arm())


def _step_downs(lines: DataFrame, windows: DataFrame, runs: DataFrame) -> DataFrame:
    planned = _with(windows, runs, "cooldown_ms")
    return leaders.step_downs(lines, planned, fn.col("cooldown_ms"))


def _follower_drops(shrunk: DataFrame, faults: DataFrame, runs: DataFrame) -> DataFrame:
    return followers.follower_drops(_with(shrunk, runs, "lag_ms"), faults, shrinks.lag_of_arm())


def _plain(produced: DataFrame) -> DataFrame:
    # Transactional producers wait for commits, so their latency does not measure the brokers' acks.
    return produced.where(clients.is_plain())


def _judged(produced: DataFrame) -> DataFrame:
    return _plain(produced).where("judged")


def _availability(intervals: DataFrame, runs: DataFrame) -> DataFrame:
    limited = _with(intervals, runs, "min_insync_replicas")
    return followers.availability(limited, fn.col("min_insync_replicas"))


def _transactions(lines: DataFrame, fates: DataFrame, windows: DataFrame) -> DataFrame:
    return clients.by_producer(lines, transaction_fates(fates, lines), windows)


def _end_to_end(fates: DataFrame, windows: DataFrame) -> DataFrame:
    return end_to_end(due_inside(fates, windows))


def _cycles(found: pa.Table) -> list[Row]:
    """Search the dependencies for cycles."""
    return list(cycles(found.to_pylist())) if found.num_rows else []


_KNOWN = tuple(
    dict.fromkeys(
        name for check in known_by().values() if check for name in (*check.needs, *check.also)
    )
)


def _checked(parts: DataFrame, anomalies: DataFrame, *known: DataFrame) -> DataFrame:
    return count_anomalies(parts, anomalies, dict(zip(_KNOWN, known, strict=True)))


def _repeat_metrics(*tables: DataFrame) -> DataFrame:
    return repeat_metrics(dict(zip(MADE_OF, tables, strict=True)))


STEPS: tuple[AnyStep, ...] = (
    # What needs only event lines.
    Step("repeats", repeats, ("phases.lines",), ("produce.lines",)),
    Step("faults", evidence.faults, ("faults.lines",)),
    Step("agent_counters", evidence.agent_counters, ("counters.lines",), ("faults",)),
    Step("raced_replicas", evidence.raced_replicas, ("samples.lines",)),
    Step("controller_agent", evidence.controller_agent, ("controller.lines",)),
    Step("clocks", evidence.clocks, ("clocks.lines",)),
    Step("liveness", lambda lines: lines, ("liveness.lines",)),
    # Events and intervals within repeats.
    Step("partitions", _partitions, ("repeats",), ("runs",)),
    Step("isr_intervals", leaders.isr_intervals, ("isr.lines", "repeats")),
    Step("isr_shrinks", _isr_shrinks, ("isr.lines", "repeats"), ("faults", "runs")),
    Step("leader_changes", leaders.leader_changes, ("isr.lines",), ("faults", "repeats")),
    Step("dead_followers", leaders.dead_followers, ("isr.lines", "faults", "repeats")),
    Step("step_downs", _step_downs, ("step_downs.lines", "repeats"), ("runs",)),
    Step("step_down_sources", leaders.step_down_sources, ("step_downs.lines", "repeats")),
    Step("operations", operations, ("produce.lines",), ("repeats",)),
    Step("follower_drops", _follower_drops, ("isr_shrinks",), ("faults", "runs")),
    # The producers' figures.
    Step("latency_histogram", lambda of: acks.latency_histogram(_judged(of)), ("operations",)),
    Step(
        "latency_over_time",
        lambda of, windows: acks.latency_over_time(_judged(of), windows),
        ("operations", "repeats"),
    ),
    Step(
        "ack_gaps",
        lambda parts, of: acks.ack_gaps(_plain(of), parts),
        ("partitions",),
        ("operations",),
    ),
    Step("errors", lambda of: acks.errors(_judged(of)), ("operations",)),
    Step(
        "pauses",
        lambda of, *others: followers.pauses(_plain(of), *others),
        ("operations", "faults", "isr_intervals"),
    ),
    Step(
        "recovery",
        lambda faults, intervals, of, windows: recovery(faults, intervals, _plain(of), windows),
        ("faults",),
        ("isr_intervals", "operations", "repeats"),
    ),
    Step("ack_latency", acks.ack_latency, ("latency_histogram",)),
    # The brokers' figures.
    Step("availability", _availability, ("isr_intervals",), ("runs",)),
    Step("added_replicas", followers.added_replicas, ("isr_intervals",)),
    Step("detections", followers.detections, ("isr_intervals", "faults")),
    # The checker.
    Step(
        "fates",
        records.record_fates,
        (),
        ("operations", "consume.lines", "read_back.lines"),
        ("transactions.lines", "transaction_reads.lines"),
    ),
    Step(
        "comparable",
        comparable,
        ("partitions",),
        ("replica_logs.lines", "consume.lines", "isr.lines", "read_back.lines"),
    ),
    Step("readback", records.readback, ("comparable",), ("fates", "leader_changes")),
    Step(
        "dependencies",
        # One more than may be searched, so that the search can refuse them.
        lambda *of: dependencies(*of).limit(SUSPECTS + 1),
        ("operations", "transactions.lines"),
        ("transaction_reads.lines",),
    ),
    RowsStep("cycles", _cycles, ("dependencies",)),
    Step("transactions", _transactions, ("transactions.lines", "fates"), ("repeats",)),
    *(
        Step("anomalies", check.find, check.needs, check.also, part=f"pass-{number}")
        for number, check in enumerate(CHECKS)
    ),
    Step("first_anomalies", first_of_each, ("anomalies",)),
    Step("checked", _checked, ("partitions",), ("anomalies", *_KNOWN)),
    # The consumers' figures.
    Step("end_to_end", _end_to_end, ("fates", "repeats")),
    Step("groups", clients.groups, ("group.lines",), ("consume.lines",)),
    # What repeats show together.
    Step("repeat_metrics", _repeat_metrics, ("repeats",), MADE_OF[1:]),
    RowsStep("medians", medians, ("repeat_metrics",)),
    RowsStep("differences", differences, ("repeat_metrics", "runs")),
)


def steps_for(wanted: Collection[str] | None = None) -> list[AnyStep]:
    """Return the steps that compute the tables in `wanted`, in order; None: every step."""
    if wanted is None:
        return list(STEPS)
    found: list[AnyStep] = []
    due = set(wanted)
    for step in reversed(STEPS):
        if step.name in due:
            due |= set(step.reads)
            found.append(step)
    return found[::-1]
