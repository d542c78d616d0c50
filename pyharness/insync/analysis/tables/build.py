"""Lists how every table is computed, and from which others.

Silver holds events, intervals and operations with keys; gold holds the figures computed from them.
Every transform takes and returns data frames over any number of runs; the table `runs` has their
settings. A step reads stored tables, which keeps the plans short, and runs as soon as these are
complete. Event lines are named `KIND.lines`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import DataFrame

from insync.analysis.checks import records
from insync.analysis.checks.comparable import comparable
from insync.analysis.checks.isolation.cycles import SUSPECTS, cycles
from insync.analysis.checks.isolation.dependencies import dependencies
from insync.analysis.checks.registry import CHECKS, count_anomalies, first_of_each, known_by
from insync.analysis.tables.gold import acks, clients, followers
from insync.analysis.tables.gold.compare import MADE_OF, differences, medians, repeat_metrics
from insync.analysis.tables.gold.followers import availability, follower_drops
from insync.analysis.tables.rows import Row
from insync.analysis.tables.silver import evidence, leaders
from insync.analysis.tables.silver.leaders import step_downs
from insync.analysis.tables.silver.repeats import operations, partitions, repeats
from insync.analysis.tables.silver.shrinks import isr_shrinks


@dataclass(frozen=True)
class Step:
    """How the table `name` is computed, or the part of it that is called `part`.

    `of` gets the tables that `needs` names, then those of `also`, then those of `maybe`. Without
    rows in one of `needs` there are none, and `of` is not called. Instead of a table in `maybe`
    without rows it gets None. `setting` is a column of `runs` that the last of `needs` gets.
    """

    name: str
    of: Callable[..., DataFrame]
    needs: tuple[str, ...]
    also: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    part: str = ""
    setting: str = ""

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


def _plain(produced: DataFrame) -> DataFrame:
    # Transactional producers wait for commits, so their latency does not measure the brokers' acks.
    return produced.where(clients.is_plain())


def _judged(produced: DataFrame) -> DataFrame:
    return _plain(produced).where("judged")


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
    Step("partitions", partitions, ("repeats",), setting="partitions"),
    Step("isr_intervals", leaders.isr_intervals, ("isr.lines", "repeats")),
    Step("isr_shrinks", isr_shrinks, ("isr.lines", "repeats"), ("faults",), setting="lag_ms"),
    Step("leader_changes", leaders.leader_changes, ("isr.lines",), ("faults", "repeats")),
    Step("dead_followers", leaders.dead_followers, ("isr.lines", "faults", "repeats")),
    Step("step_downs", step_downs, ("step_downs.lines", "repeats"), setting="cooldown_ms"),
    Step("step_down_sources", leaders.step_down_sources, ("step_downs.lines", "repeats")),
    Step("operations", operations, ("produce.lines",), ("repeats",)),
    Step("follower_drops", follower_drops, ("isr_shrinks",), ("faults",), setting="lag_ms"),
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
        lambda faults, isr, of, windows: followers.recovery(faults, isr, _plain(of), windows),
        ("faults",),
        ("isr_intervals", "operations", "repeats"),
    ),
    Step("ack_latency", acks.ack_latency, ("latency_histogram",)),
    # The brokers' figures.
    Step("availability", availability, ("isr_intervals",), setting="min_insync_replicas"),
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
    RowsStep("cycles", lambda found: list(cycles(found.to_pylist())), ("dependencies",)),
    Step("transactions", clients.by_producer, ("transactions.lines", "fates"), ("repeats",)),
    *(
        Step("anomalies", check.find, check.needs, check.also, part=f"pass-{number}")
        for number, check in enumerate(CHECKS)
    ),
    Step("first_anomalies", first_of_each, ("anomalies",)),
    Step("checked", _checked, ("partitions",), ("anomalies", *_KNOWN)),
    # The consumers' figures.
    Step("end_to_end", acks.end_to_end, ("fates", "repeats")),
    Step("groups", clients.groups, ("group.lines",), ("consume.lines",)),
    # What repeats show together.
    Step("repeat_metrics", _repeat_metrics, ("repeats",), MADE_OF[1:]),
    RowsStep("medians", medians, ("repeat_metrics",)),
    RowsStep("differences", differences, ("repeat_metrics", "runs")),
)
