"""What the page shows, ready for its template: words, tables of text, pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from insync.events.run_info import RunInfo
from insync.report import sections
from insync.report.detail import figure
from insync.report.headline import headline
from insync.report.judgement import Judgement
from insync.report.lanes import Cell, cells
from insync.report.scenes import Rows, Scene, scenes
from insync.report.tabular import Table
from insync.report.words import VERDICTS, span

MOST_PICTURES = 12
"""Repeats of an arm that are drawn; the tables name all."""


@dataclass(frozen=True)
class Page:
    """Everything the template needs. `figures` maps a repeat's name to its plotly figure."""

    title: str
    summary: str
    outcome: str
    verdict: str
    reason: str
    sentences: Sequence[str]
    results: Table
    overview: Sequence[tuple[str, Sequence[Cell]]]
    figures: Mapping[str, Mapping[str, Any]]
    tables: Sequence[Table]
    run: Sequence[tuple[str, str]]
    lag: str
    min_isr: int


def build_page(run: RunInfo, verdict: Judgement, rows: Rows) -> Page:
    """Gather the page of a run."""
    pictures = scenes(run, rows)
    drawn = [scene for scene in pictures if scene.repeat < MOST_PICTURES]
    return Page(
        title=run.scenario_name,
        summary=_summary(run),
        outcome=verdict.verdict,
        verdict=VERDICTS[verdict.verdict],
        reason=verdict.reason,
        sentences=headline(run, verdict, pictures),
        results=sections.results(verdict),
        overview=[
            (arm, list(of_arm)) for arm, of_arm in groupby(cells(drawn), key=lambda cell: cell.arm)
        ],
        figures=_figures(drawn),
        tables=sections.details(run, rows, pictures),
        run=_run_facts(run),
        lag=span(run.scenario.broker.replica_lag_time_max_ms),
        min_isr=run.scenario.min_insync_replicas,
    )


def _summary(run: RunInfo) -> str:
    """Say what the scenario is, and by what its own times were multiplied."""
    scaled = "" if run.scale == 1 else f"; here with all times x {run.scale:g}"
    return f"{run.scenario.summary}{scaled}"


def _figures(drawn: Sequence[Scene]) -> dict[str, Mapping[str, Any]]:
    repeats = sorted({scene.repeat for scene in drawn})
    return {
        f"repeat {repeat}": figure([scene for scene in drawn if scene.repeat == repeat])
        for repeat in repeats
    }


def _run_facts(run: RunInfo) -> list[tuple[str, str]]:
    began = datetime.fromtimestamp(run.started_ms / 1e3, UTC)
    took = span(run.finished_ms - run.started_ms) if run.finished_ms is not None else "cut short"
    return [
        ("scenario", run.scenario_name),
        ("Kafka", run.kafka),
        ("cluster", run.cluster),
        ("arms", ", ".join(run.arms)),
        ("repeats", str(run.repeats)),
        ("scale", f"{run.scale:g}"),
        ("seed", str(run.seed)),
        ("replica.lag.time.max.ms", f"{run.scenario.broker.replica_lag_time_max_ms:.0f}"),
        ("min.insync.replicas", str(run.scenario.min_insync_replicas)),
        ("partitions' leaders", ", ".join(str(n) for n in run.scenario.workload.leaders)),
        ("began", began.strftime("%Y-%m-%d %H:%M:%S UTC")),
        ("took", took),
        *((f"host {key}", str(value)) for key, value in run.host.items()),
    ]
