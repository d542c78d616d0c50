"""Collects what the page shows, ready for its template: text, tables, pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from insync.arms import find_arm
from insync.events.run_info import RunInfo
from insync.events.schema import nodes_dir
from insync.events.verdict import Verdict
from insync.outcome import Outcome
from insync.report import results, sections
from insync.report.environment import Facts, environment_of
from insync.report.headline import of_arm, of_integrity, run_finding
from insync.report.reproduce import run_command, where
from insync.report.statistics import statistics_tables
from insync.report.timeline.detail import Repeat, in_full
from insync.report.timeline.lanes import Cell, cells
from insync.report.timeline.series import isr_table, latency_table
from insync.report.timeline.timelines import Rows, Timeline
from insync.report.words import span
from insync.result import Table


@dataclass(frozen=True)
class Detail:
    """How much a page shows: repeats of an arm that are drawn, and rows of a table."""

    pictures: int = 12
    rows: int = 200


LEVELS = (Detail(), Detail(8, 120), Detail(5, 80), Detail(3, 40), Detail(2, 20), Detail(1, 10))
"""A page is made with less and less detail, until it is small enough."""


@dataclass(frozen=True)
class Arm:
    """An arm with what it is, what its ISR did, and its pictures; one that never began has none."""

    name: str
    says: str
    sentence: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Page:
    """Everything the template needs.

    `repeats` are the large pictures and `series` their numbers; `undrawn` is how many repeats of
    an arm have no picture.
    """

    title: str
    kafka: str
    summary: str
    finding: str
    outcome: Outcome
    reason: str
    integrity: str
    arms: Sequence[Arm]
    several: bool
    undrawn: int
    side_by_side: results.SideBySide
    over_repeats: Sequence[Table]
    expectations: Table
    repeats: Sequence[Repeat]
    series: Sequence[Table]
    tables: Sequence[Table]
    run: Facts
    environment: Facts
    command: str
    where: str
    lag: str
    min_isr: int


def build_page(
    run: RunInfo, verdict: Verdict, rows: Rows, pictures: Sequence[Timeline], detail: Detail
) -> Page:
    """Collect the page of a run; `pictures` are the timelines of its repeats."""
    drawn = [timeline for timeline in pictures if timeline.repeat < detail.pictures]
    below = [*sections.details(run, rows, pictures), results.results(verdict)]
    return Page(
        title=run.scenario_name,
        kafka=run.kafka,
        summary=_summary(run),
        finding=run_finding(run, verdict),
        outcome=verdict.verdict,
        reason=verdict.reason,
        integrity=of_integrity(run, verdict),
        arms=_arms(run, pictures, drawn),
        several=run.repeats > 1,
        undrawn=max((timeline.repeat + 1 for timeline in pictures), default=0) - detail.pictures,
        side_by_side=results.side_by_side(verdict),
        over_repeats=[table.cut(detail.rows) for table in statistics_tables(rows)],
        expectations=results.expectations(verdict).cut(detail.rows),
        repeats=in_full(drawn),
        series=[each(drawn).cut(detail.rows) for each in (isr_table, latency_table)],
        tables=[table.cut(detail.rows) for table in below],
        run=_run_facts(run, verdict),
        environment=environment_of([run], verdict.engine),
        command=run_command(run),
        where=where(run),
        lag=span(run.scenario.broker.replica_lag_time_max_ms),
        min_isr=run.scenario.min_insync_replicas,
    )


def _summary(run: RunInfo) -> str:
    """Return the scenario's summary, and the factor of its times if they were scaled."""
    scaled = "" if run.scale == 1 else f" (all times \N{MULTIPLICATION SIGN} {run.scale:g})"
    return f"{run.scenario.summary}{scaled}"


def _arms(run: RunInfo, pictures: Sequence[Timeline], drawn: Sequence[Timeline]) -> list[Arm]:
    shown = cells(drawn)
    return [
        Arm(
            name=arm,
            says=says(arm),
            sentence=of_arm(run, pictures, arm),
            cells=[each for each in shown if each.arm == arm],
        )
        for arm in run.arms
    ]


def says(arm: str) -> str:
    """Return what an arm is, in words; empty for an unknown one.

    An arm with the same brokers as another one goes by what that one is.
    """
    spec = find_arm(arm)
    if spec is None:
        return ""
    other = find_arm(spec.expected_as or arm)
    same = other is not None and (other.agent, other.configs) == (spec.agent, spec.configs)
    return (other if other is not None and same else spec).says.replace("`", "")


def _run_facts(run: RunInfo, verdict: Verdict) -> Facts:
    began = datetime.fromtimestamp(run.started_ms / 1e3, UTC)
    took = span(run.finished_ms - run.started_ms) if run.finished_ms is not None else "cut short"
    return [
        ("scenario", run.scenario_name),
        ("arms", ", ".join(run.arms)),
        ("repeats", str(run.repeats)),
        ("scale", f"{run.scale:g}"),
        ("seed", str(run.seed)),
        ("replica.lag.time.max.ms", f"{run.scenario.broker.replica_lag_time_max_ms:.0f}"),
        ("min.insync.replicas", str(run.scenario.min_insync_replicas)),
        ("partitions' leaders", ", ".join(str(n) for n in run.scenario.workload.leaders)),
        ("began", began.strftime("%Y-%m-%d %H:%M:%S UTC")),
        ("took", took),
        ("brokers' data", _kept(run, verdict)),
    ]


def _kept(run: RunInfo, verdict: Verdict) -> str:
    """Say where the data of the brokers is kept: of every arm, or of those with a finding.

    The scenarios of a matrix share clusters, whose folders are beside those of the runs.
    """
    kept = run.arms if run.keep_data else verdict.explained_by_data
    where = ", ".join(nodes_dir(Path(), arm).as_posix() for arm in kept)
    return f"kept in {where}, of a matrix beside this folder" if kept else "not needed"
