"""Writes `summary.md`, for a pull request or the summary of a CI job.

It has a table of levels, one of criteria, what is not as expected, and a session block in the form
that ducktape prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from insync.events.verify_info import CheckRow, LevelInfo, VerifyInfo
from insync.outcome import Outcome, worst

MOST_ROWS = 40
WIDTH = 80
SHOWN = (Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.OBSERVED)
"""The outcomes that are counted, in the order of the columns."""


def summary(info: VerifyInfo) -> str:
    """Return the whole text."""
    parts = [
        f"## insync verify: {info.verdict}",
        f"{_cell(info.reason)}.",
        _table(["", "build"], [["candidate", _cell(info.asked.candidate.words)],
                               ["baseline", _cell(info.asked.baseline.words)]]),
        _table(
            ["level", "outcome", "passed", "failed", "unknown", "observed", "time"],
            [[each.level, each.outcome.mark, *map(str, counts(each)), minutes(each.took_s)]
             for each in info.levels],
        ),
        *_criteria(info),
        *_odd(info),
        "<details><summary>Session</summary>",
        f"```\n{session(info)}\n```",
        "</details>",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def counts(level: LevelInfo) -> list[int]:
    """Return how many rows passed, failed, are unknown and observed."""
    return [level.count(outcome) for outcome in SHOWN]


def minutes(seconds: float) -> str:
    """Return a time as minutes and seconds."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"


def criteria_rows(info: VerifyInfo) -> list[list[str]]:
    """Return a row per check that several scenarios share: how often it passed, and its outcome."""
    by_check: dict[tuple[str, str], list[CheckRow]] = {}
    for level in info.levels:
        for row in level.rows:
            by_check.setdefault((level.level, row.check), []).append(row)
    return [
        [level, check, _of(rows), worst(row.outcome for row in rows).mark]
        for (level, check), rows in by_check.items()
        if len(rows) > 1 or any(row.outcome != Outcome.OBSERVED for row in rows)
    ]


def _of(rows: Sequence[CheckRow]) -> str:
    return f"{sum(row.outcome == 'pass' for row in rows)} of {len(rows)}"


def odd_rows(info: VerifyInfo) -> list[tuple[LevelInfo, CheckRow]]:
    """Return the rows that failed or are unknown, failures first."""
    rows = [(level, row) for level in info.levels for row in level.rows]
    return [
        each
        for outcome in (Outcome.FAIL, Outcome.UNKNOWN)
        for each in rows
        if each[1].outcome == outcome
    ]


def _criteria(info: VerifyInfo) -> Iterator[str]:
    rows = criteria_rows(info)
    if rows:
        yield "### Checks"
        checks = [[level, _code(check), passed, mark] for level, check, passed, mark in rows]
        yield _table(["level", "check", "passed", "outcome"], checks)


def _odd(info: VerifyInfo) -> Iterator[str]:
    cut = [each for each in info.levels if each.outcome == Outcome.UNKNOWN and not each.rows]
    rows = odd_rows(info)
    if not rows and not cut:
        return
    yield "### Not as expected"
    shown = [
        [
            level.level, _cell(row.of), row.outcome.mark, _code(row.check), _cell(row.baseline),
            _cell(row.candidate), _cell(row.why),
        ]
        for level, row in rows[:MOST_ROWS]
    ]  # fmt: skip
    shown += [
        [each.level, "", Outcome.UNKNOWN.mark, "", "", "", _cell(each.reason)] for each in cut
    ]
    yield _table(["level", "of", "outcome", "check", "baseline", "candidate", "why"], shown)
    if len(rows) > MOST_ROWS:
        yield f"{len(rows) - MOST_ROWS} more are in the page."


def session(info: VerifyInfo) -> str:
    """Return the session block: a test per level and what its checks are about."""
    tests = [
        (f"{level.level}.{of}", outcome, why)
        for level in info.levels
        for of, outcome, why in _tests(level)
    ]
    found = [outcome for _, outcome, _ in tests]
    head = {
        "insync version": info.insync,
        "session_id": info.session,
        "run time": minutes(info.took_s),
        "tests run": len(tests),
        "passed": found.count(Outcome.PASS),
        "flaky": 0,
        "failed": found.count(Outcome.FAIL),
        "unknown": found.count(Outcome.UNKNOWN),
        "ignored": found.count(Outcome.OBSERVED),
    }
    lines = ["=" * WIDTH, "SESSION REPORT (ALL TESTS)"]
    lines += [f"{name + ':':<17}{value}" for name, value in head.items()]
    lines.append("=" * WIDTH)
    for name, outcome, why in tests:
        lines += [f"{'test_id:':<12}{name}", f"{'status:':<12}{outcome.upper()}"]
        lines += ["", f"    {_line(why)}", ""] if why and outcome != Outcome.PASS else []
        lines.append("-" * WIDTH)
    return "\n".join(lines)


def _tests(level: LevelInfo) -> Iterator[tuple[str, Outcome, str]]:
    """Yield the checks of a level by what they are about: the worst outcome, and its reason."""
    if not level.rows:
        yield "whole", level.outcome, level.reason
    for of in dict.fromkeys(row.of for row in level.rows):
        rows = [row for row in level.rows if row.of == of]
        outcome = worst(row.outcome for row in rows)
        yield of, outcome, next((row.why for row in rows if row.outcome == outcome), "")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|").replace("<", "&lt;")


def _code(text: str) -> str:
    """Return a text as code; entities are not entities there."""
    return f"`{_line(text).replace('|', chr(92) + '|').replace('`', chr(39))}`" if text else ""


def _line(text: str) -> str:
    return " ".join(text.split())
