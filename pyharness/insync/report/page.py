"""Collects what the page shows, ready for its template: text, tables, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from insync.events.run_info import RunInfo
from insync.report import results, sections
from insync.report.environment import Facts, environment_of
from insync.report.headline import headline
from insync.report.judgement import Judgement
from insync.report.reproduce import run_command, where
from insync.report.statistics import statistics_tables
from insync.report.tabular import Table
from insync.report.timeline.detail import figure
from insync.report.timeline.lanes import Cell, cells
from insync.report.timeline.series import isr_table, latency_table
from insync.report.timeline.timelines import Rows, Timeline, timelines
from insync.report.words import VERDICTS, span

MOST_PICTURES = 12
"""Repeats of an arm that are drawn; the tables list all."""


@dataclass(frozen=True)
class Page:
    """Everything the template needs.

    `overview` holds the pictures by arm, `figures` maps a repeat's name to its plotly figure,
    and `series` are the numbers of the figures.
    """

    title: str
    summary: str
    outcome: str
    verdict: str
    reason: str
    sentences: Sequence[str]
    expectations: Table
    side_by_side: Table
    results: Table
    overview: Sequence[tuple[str, Sequence[Cell]]]
    figures: Mapping[str, Mapping[str, Any]]
    series: Sequence[Table]
    tables: Sequence[Table]
    run: Facts
    environment: Facts
    command: str
    where: str
    lag: str
    min_isr: int


def build_page(run: RunInfo, verdict: Judgement, rows: Rows) -> Page:
    """Collect the page of a run."""
    pictures = timelines(run, rows)
    drawn = [timeline for timeline in pictures if timeline.repeat < MOST_PICTURES]
    return Page(
        title=run.scenario_name,
        summary=_summary(run),
        outcome=verdict.verdict,
        verdict=VERDICTS[verdict.verdict],
        reason=verdict.reason,
        sentences=headline(run, verdict, pictures),
        expectations=results.expectations(verdict),
        side_by_side=results.side_by_side(verdict),
        results=results.results(verdict),
        overview=_overview(run, drawn),
        figures=_figures(drawn),
        series=[isr_table(drawn), latency_table(drawn)],
        tables=[*statistics_tables(rows), *sections.details(run, rows, pictures)],
        run=_run_facts(run),
        environment=environment_of([run]),
        command=run_command(run),
        where=where(run),
        lag=span(run.scenario.broker.replica_lag_time_max_ms),
        min_isr=run.scenario.min_insync_replicas,
    )


def _summary(run: RunInfo) -> str:
    """Return the scenario's summary, and the factor of its times if they were scaled."""
    scaled = "" if run.scale == 1 else f"; all times x {run.scale:g}"
    return f"{run.scenario.summary}{scaled}"


def _overview(run: RunInfo, drawn: Sequence[Timeline]) -> list[tuple[str, list[Cell]]]:
    """Return every arm with its pictures; an arm of which no repeat began has none."""
    pictures = cells(drawn)
    return [(arm, [each for each in pictures if each.arm == arm]) for arm in run.arms]


def _figures(drawn: Sequence[Timeline]) -> dict[str, Mapping[str, Any]]:
    repeats = sorted({timeline.repeat for timeline in drawn})
    return {
        f"repeat {repeat}": figure([timeline for timeline in drawn if timeline.repeat == repeat])
        for repeat in repeats
    }


def _run_facts(run: RunInfo) -> Facts:
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
    ]
