"""Writes the page of a verification, its test results and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from insync.events.schema import JUNIT, REPORT
from insync.events.verify_info import SUMMARY, CheckRow, LevelInfo, SideInfo, VerifyInfo
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.report.junit import as_xml
from insync.report.render import asset, environment, smallest_enough
from insync.report.verify.summary import counts, criteria_rows, minutes, odd_rows, summary
from insync.result import Result, Table

SHARES = (1.0, 0.5, 0.1, 0.0)
"""How many of the rows that passed a page has; the first page that is small enough is taken."""


@dataclass(frozen=True)
class Part:
    """A level as the page shows it; `left_out` counts rows that passed and are not shown."""

    level: LevelInfo
    rows: Sequence[CheckRow]
    left_out: int
    tables: Sequence[Table]


def write_verify_page(folder: Path, info: VerifyInfo) -> Path:
    """Write `report.html`, `junit.xml` and `summary.md`; return the page's path."""
    write_atomic(folder / SUMMARY, summary(info))
    write_atomic(folder / JUNIT, as_xml("insync verify", suites(info)))
    return write_atomic(folder / REPORT, render_verify(info))


def suites(info: VerifyInfo) -> list[Result]:
    """Return a suite per level; a level without rows has one case, which says why."""
    facts = {
        "verdict": f"{info.verdict}: {info.reason}",
        "candidate": info.asked.candidate.words,
        "baseline": info.asked.baseline.words,
    }
    return [
        Result(of=each.level, outcome=each.outcome, found=each.reason, facts=facts,
               seconds=each.took_s, children=tuple(map(_check, each.rows)))
        for each in info.levels
    ]  # fmt: skip


def _check(row: CheckRow) -> Result:
    return Result(
        of=row.of, expected=row.check, outcome=row.outcome, found=row.why or row.candidate
    )


def render_verify(info: VerifyInfo) -> str:
    """Return the page as text; if it is too large, it has fewer of the rows that passed."""
    return smallest_enough(_render(info, share) for share in SHARES)


def headline(info: VerifyInfo) -> str:
    """Return what was judged and how many checks failed, without a full stop."""
    rows = [row for level in info.levels for row in level.rows]
    judged = [row for row in rows if row.outcome != Outcome.OBSERVED]
    failed = sum(row.outcome == Outcome.FAIL for row in judged)
    unknown = sum(row.outcome == Outcome.UNKNOWN for row in judged)
    if not judged:
        return f"{info.asked.candidate.words}: nothing was judged, {len(rows)} facts"
    found = (
        f"{failed} of {len(judged)} checks failed"
        if failed
        else (f"{len(judged)} checks, none failed")
    )
    return f"{info.asked.candidate.words}: {found}{f', {unknown} unknown' if unknown else ''}"


def _render(info: VerifyInfo, share: float) -> str:
    verdict = info.verdict
    return (
        environment()
        .get_template("verify.html.j2")
        .render(
            info=info,
            headline=headline(info),
            badge=(verdict.mark, info.reason),
            verdict=verdict,
            levels=_levels(info),
            checks=Table(title="Checks", columns=("level", "check", "passed", "outcome"),
                         numeric=(2,), rows=criteria_rows(info), empty="Nothing was judged."),
            odd=odd_rows(info),
            parts=[_part(each, share) for each in info.levels],
            sides=[(name, _facts(side)) for name, side in (
                ("Candidate", info.asked.candidate), ("Baseline", info.asked.baseline))],
            facts=_about(info),
            style=asset("page.css") + asset("verify.css"),
        )
    )  # fmt: skip


def _levels(info: VerifyInfo) -> Table:
    rows = [
        (
            each.level,
            each.outcome.mark.replace(" ", "\u00a0"),
            *map(str, counts(each)),
            minutes(each.took_s),
            each.reason,
        )
        for each in info.levels
    ]
    rows += [(name, "not run yet", "", "", "", "", "", "") for name in info.missing]
    return Table(
        title="Levels",
        columns=("level", "outcome", "passed", "failed", "unknown", "observed", "time", "why"),
        numeric=(2, 3, 4, 5, 6),
        rows=rows,
        empty="No level has ended.",
    )


def _part(level: LevelInfo, share: float) -> Part:
    passed = [row for row in level.rows if row.outcome == Outcome.PASS]
    kept = {id(row) for row in passed[: round(len(passed) * share)]}
    rows = [row for row in level.rows if row.outcome != Outcome.PASS or id(row) in kept]
    return Part(level, rows, len(level.rows) - len(rows), level.tables)


def _facts(side: SideInfo) -> list[tuple[str, str]]:
    settings = ", ".join(f"{key}={value}" for key, value in side.settings.items())
    return [
        ("Kafka", side.kafka),
        *([("from", side.path)] if side.path else []),
        ("jars, SHA-256", side.jars[:16]),
        ("agent, SHA-256", side.agent[:16] if side.agent else "none"),
        ("arm", side.arm),
        ("expected as", side.claims or "nothing is expected of it"),
        *([("broker configs", settings)] if settings else []),
    ]


def _about(info: VerifyInfo) -> list[tuple[str, str]]:
    asked = info.asked
    seeds = f"{asked.seeds[0]} to {asked.seeds[-1]}" if asked.seeds else "none"
    return [
        ("began", f"{datetime.fromtimestamp(info.started_ms / 1e3, UTC):%Y-%m-%d %H:%M} UTC"),
        ("took", minutes(info.took_s)),
        *(
            [
                ("scenarios", "the group sites" if asked.only is None else ", ".join(asked.only)),
                ("seeds", seeds),
                ("repeats", str(asked.repeats)),
            ]
            if "faults" in asked.levels
            else []
        ),
        ("insync", info.insync),
        *info.host.items(),
    ]
