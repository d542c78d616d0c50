"""Writes past runs and matrices as text: cells of a table, and the index page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.past.results import VERDICTS, Past, scenarios_of
from insync.report.render import asset, environment
from insync.report.words import span

MOST_NAMES = 3
MARKS: dict[str, str] = {
    **{outcome: outcome.mark for outcome in Outcome},
    "none": "no verdict",
    "unreadable": "! unreadable",
}


def name_of(past: Past) -> str:
    """Return what a result is called: its scenario, or how many a matrix has."""
    if past.kind == "run":
        return past.scenarios[0] if past.scenarios else past.folder.name
    if past.kind == "matrix" and past.scenarios:
        return f"matrix: {_few(past.scenarios)}"
    return past.campaign or past.folder.name


def facts_of(past: Past) -> list[tuple[str, str]]:
    """Return the names and the texts of a result's facts; an unknown one is empty."""
    cluster = "" if past.cluster in (None, "local") else f", {past.cluster}"
    return [
        ("Kafka", ", ".join(past.kafka) + cluster),
        ("arms", _few(past.arms)),
        ("repeats", "" if past.repeats is None else str(past.repeats)),
        ("began", f"{datetime.fromtimestamp(past.when_ms / 1e3, UTC):%Y-%m-%d %H:%M UTC}"),
        ("took", "" if past.took_ms is None else _took(past.took_ms)),
    ]


def write_index(file: Path, folder: Path, rows: Sequence[Past]) -> Path:
    """Write the index page of the results below `folder` and return its path.

    Its links are relative to the folder that holds it.
    """
    template = environment().get_template("runs.html.j2")
    page = template.render(
        folder=str(folder),
        rows=rows,
        marks=MARKS,
        name_of=name_of,
        facts_of=facts_of,
        relative=partial(os.path.relpath, start=file.absolute().parent),
        scenarios=scenarios_of(rows),
        kafka=sorted({version for row in rows for version in row.kafka}),
        verdicts=[each for each in VERDICTS if any(row.verdict == each for row in rows)],
        style=asset("page.css") + asset("runs.css"),
        script=asset("runs.js"),
    )
    return write_atomic(file, page)


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def _took(milliseconds: float) -> str:
    minutes = milliseconds / 60_000
    return span(milliseconds) if minutes < 2 else f"{minutes:.0f} min"
