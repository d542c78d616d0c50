"""Writes the page of a run and its test results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from insync.arms import ARMS
from insync.events.run_info import RunInfo
from insync.events.schema import JUNIT, REPORT, nodes_dir
from insync.events.verdict import Verdict
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.report import sections
from insync.report.headline import finding, of_arm, of_integrity, of_run
from insync.report.junit import as_xml, run_suite
from insync.report.render import asset, environment, smallest_enough
from insync.report.reproduce import Facts, environment_of, run_command, where
from insync.report.sections import isr_table, latency_table
from insync.report.statistics import statistics_tables
from insync.report.timeline import lanes
from insync.report.timeline.detail import FILL, HEIGHT, in_full
from insync.report.timeline.timelines import STATE_NAMES, Rows, Timeline
from insync.report.words import arm_id, span

LEVELS = ((12, 200), (8, 120), (5, 80), (3, 40), (2, 20), (1, 10))
"""A page is made with less and less detail, until it is small enough: how many repeats of an arm
are drawn, and how many rows a table has."""
MEANS = {
    Outcome.PASS: "every expectation holds",
    Outcome.FAIL: "an expectation does not hold",
    Outcome.UNKNOWN: "this run proves nothing",
}


def write_report(
    folder: Path, run: RunInfo, verdict: Verdict, rows: Rows, pictures: Sequence[Timeline]
) -> Path:
    """Write `folder/report.html` and `junit.xml`, each in one step; return the page's path.

    `pictures` are the timelines of the run.
    """
    write_atomic(folder / JUNIT, as_xml("insync run", [run_suite(run, verdict)]))
    return write_atomic(folder / REPORT, render(run, verdict, rows, pictures))


def render(run: RunInfo, verdict: Verdict, rows: Rows, pictures: Sequence[Timeline]) -> str:
    """Return the whole page as text, with as much detail as fits into `MOST_BYTES`."""
    template = environment().get_template("page.html.j2")
    return smallest_enough(
        template.render(
            page=_page(run, verdict, rows, pictures, *detail),
            lanes=lanes,
            lane_fill=FILL,
            latency_units=HEIGHT,
            states=list(STATE_NAMES.items()),
            arm_id=arm_id,
            badge=(verdict.verdict.mark, MEANS[verdict.verdict]),
            style=asset("page.css"),
            script=asset("page.js"),
        )
        for detail in LEVELS
    )


def _page(
    run: RunInfo,
    verdict: Verdict,
    rows: Rows,
    pictures: Sequence[Timeline],
    most_drawn: int,
    most_rows: int,
) -> Mapping[str, object]:
    """Collect what the template shows of a run.

    `repeats` are the large pictures and `series` their numbers; `undrawn` is how many repeats of
    an arm have no picture.
    """
    drawn = [timeline for timeline in pictures if timeline.repeat < most_drawn]
    below = [*sections.details(run, rows, pictures), sections.results(verdict)]
    return {
        "title": run.scenario_name,
        "kafka": run.kafka,
        "summary": run.scenario.summary,
        "finding": finding([of_run(run, verdict)], "repeats"),
        "outcome": verdict.verdict,
        "reason": verdict.reason,
        "integrity": of_integrity(run, verdict),
        "arms": _arms(run, pictures, drawn),
        "several": run.repeats > 1,
        "undrawn": max((timeline.repeat + 1 for timeline in pictures), default=0) - most_drawn,
        "side_by_side": sections.side_by_side(verdict),
        "over_repeats": [table.cut(most_rows) for table in statistics_tables(rows)],
        "expectations": sections.expectations(verdict).cut(most_rows),
        "repeats": in_full(drawn),
        "series": [each(drawn).cut(most_rows) for each in (isr_table, latency_table)],
        "tables": [table.cut(most_rows) for table in below],
        "run": _run_facts(run, verdict),
        "environment": environment_of([run], verdict.engine),
        "command": run_command(run),
        "where": where(run),
        "lag": span(run.scenario.broker.replica_lag_time_max_ms),
        "min_isr": run.scenario.min_insync_replicas,
    }


def _arms(
    run: RunInfo, pictures: Sequence[Timeline], drawn: Sequence[Timeline]
) -> list[Mapping[str, object]]:
    """Return each arm with what it is, what its ISR did, and its pictures, if it began."""
    shown = lanes.cells(drawn)
    return [
        {
            "name": arm,
            "says": says(arm),
            "sentence": of_arm(run, pictures, arm),
            "cells": [each for each in shown if each.arm == arm],
        }
        for arm in run.arms
    ]


def says(arm: str) -> str:
    """Return what an arm is, in words; empty for an unknown one.

    An arm with the same brokers as another one goes by what that one is.
    """
    spec = ARMS.get(arm)
    if spec is None:
        return ""
    other = ARMS.get(spec.expected_as or arm)
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
