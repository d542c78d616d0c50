"""Writes the index page of past runs and matrices."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.past.results import VERDICTS, Past, scenarios_of
from insync.report.render import asset, environment

MARKS: dict[str, str] = {
    **{outcome: outcome.mark for outcome in Outcome},
    "none": "no verdict",
    "unreadable": "! unreadable",
}


def write_index(file: Path, folder: Path, rows: Sequence[Past]) -> Path:
    """Write the index page of the results below `folder` and return its path.

    Its links are relative to the folder that holds it.
    """
    template = environment().get_template("runs.html.j2")
    page = template.render(
        folder=str(folder),
        rows=rows,
        marks=MARKS,
        relative=partial(os.path.relpath, start=file.absolute().parent),
        scenarios=scenarios_of(rows),
        kafka=sorted({version for row in rows for version in row.kafka}),
        verdicts=[each for each in VERDICTS if any(row.verdict == each for row in rows)],
        style=asset("page.css") + asset("runs.css"),
        script=asset("runs.js"),
    )
    return write_atomic(file, page)
