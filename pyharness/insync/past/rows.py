"""Reads past runs and matrices as rows of a list; what cannot be read is a row with its reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from insync.errors import InputError
from insync.events.matrix_info import CELLS, PAGE, PLAN, load_matrix
from insync.events.run_info import RunInfo, load_run
from insync.events.schema import REPORT, RUN, SCHEMA_VERSION, VERDICT
from insync.events.verdict import read_cells, read_verdict
from insync.outcome import Outcome
from insync.past.find import Found
from insync.report.matrix.cells import outcome
from insync.report.matrix.text import sentence

Verdict = Outcome | Literal["none", "unreadable"]
"""The verdict of a run or a matrix. `none`: it is not analysed; `unreadable`: its folder is not."""
VERDICTS: tuple[Verdict, ...] = (
    Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN, Outcome.SKIPPED, "none", "unreadable",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Past:
    """A past run or matrix.

    `scenarios`, `kafka` and `arms` are all that it has. `repeats` are those of each cell; None: not
    known, or not the same in all. `when_ms` is when it began; of what cannot be read, when its
    folder was last changed. `page` is its report, if there is one. `reason` says what the verdict
    rests on, or why there is none.
    """

    folder: Path
    kind: Literal["run", "matrix", "other"]
    when_ms: float
    verdict: Verdict
    reason: str
    scenarios: tuple[str, ...] = ()
    kafka: tuple[str, ...] = ()
    cluster: str | None = None
    arms: tuple[str, ...] = ()
    repeats: int | None = None
    took_ms: float | None = None
    page: Path | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; paths are text."""
        named = {**self.__dict__, "folder": str(self.folder)}
        return {**named, "page": None if self.page is None else str(self.page)}


def past_results(found: Found) -> list[Past]:
    """Return a row for each run, matrix and other folder, newest first."""
    rows = [
        *(_read(folder, _matrix, "matrix") for folder in found.matrices),
        *(_read(folder, _run, "run") for folder in found.runs),
        *(
            _unreadable(folder, "other", f"holds neither {RUN} nor {PLAN}")
            for folder in found.others
        ),
    ]
    return sorted(rows, key=lambda row: (-row.when_ms, str(row.folder)))


def selected(
    rows: Iterable[Past], scenario: str | None, kafka: str | None, verdict: str | None
) -> list[Past]:
    """Return the rows that have a scenario, a Kafka version and a verdict; None: any."""
    return [
        row
        for row in rows
        if (scenario is None or scenario in row.scenarios)
        and (kafka is None or kafka in row.kafka)
        and (verdict is None or verdict == row.verdict)
    ]


def _read(folder: Path, read: Any, kind: Literal["run", "matrix"]) -> Past:
    try:
        row: Past = read(folder)
    except InputError as error:
        reason = _newer(folder) or str(error).removeprefix(f"{folder}/")
        return _unreadable(folder, kind, reason)
    return row


def _newer(folder: Path) -> str | None:
    """Say that a file has a newer schema than this version knows, if one does."""
    for name in (PLAN, RUN):
        with suppress(OSError, ValueError):
            schema = json.loads((folder / name).read_bytes()).get("schema")
            if isinstance(schema, int) and schema > SCHEMA_VERSION:
                return (
                    f"{name}: schema {schema}, expected at most {SCHEMA_VERSION}:"
                    " a newer version of insync wrote it"
                )
    return None


def _unreadable(folder: Path, kind: Literal["run", "matrix", "other"], reason: str) -> Past:
    when_ms = folder.stat().st_mtime * 1e3
    return Past(folder=folder, kind=kind, when_ms=when_ms, verdict="unreadable", reason=reason)


def _run(folder: Path) -> Past:
    info = load_run(folder)
    verdict, reason = _verdict_of_run(folder, info)
    return Past(
        folder=folder,
        kind="run",
        when_ms=info.started_ms,
        verdict=verdict,
        reason=reason,
        scenarios=(info.scenario_name,),
        kafka=(info.kafka,),
        cluster=info.cluster,
        arms=info.arms,
        repeats=info.repeats,
        took_ms=None if info.finished_ms is None else info.finished_ms - info.started_ms,
        page=_page(folder / REPORT),
    )


def _verdict_of_run(folder: Path, info: RunInfo) -> tuple[Verdict, str]:
    partial = "" if info.finished else "cut short, or still running"
    if not (folder / VERDICT).is_file():
        if info.skipped is not None:
            return Outcome.SKIPPED, info.skipped
        return "none", partial or f"not analysed: insync report {folder}"
    found = read_verdict(folder)
    return found.verdict, found.reason


def _matrix(folder: Path) -> Past:
    info = load_matrix(folder)
    runs = [run for each in info.run_folders(folder) if (run := _loaded(each))]
    ended = [run.finished_ms for run in runs if run.finished_ms is not None]
    began_ms = min((run.started_ms for run in runs), default=(folder / PLAN).stat().st_mtime * 1e3)
    verdict, reason = _verdict_of_matrix(folder)
    repeats = {run.repeats for run in runs}
    return Past(
        folder=folder,
        kind="matrix",
        when_ms=began_ms,
        verdict=verdict,
        reason=reason,
        scenarios=_each(row.scenario for row in info.rows),
        kafka=_each(row.kafka for row in info.rows),
        cluster=next((run.cluster for run in runs), None),
        arms=_each(arm for row in info.rows for arm in row.arms),
        repeats=repeats.pop() if len(repeats) == 1 else None,
        took_ms=max(ended) - began_ms if ended else None,
        page=_page(folder / PAGE),
    )


def _verdict_of_matrix(folder: Path) -> tuple[Verdict, str]:
    if not (folder / CELLS).is_file():
        return "none", f"not analysed: insync report {folder}"
    cells = read_cells(folder)
    return outcome(cells), sentence(cells)


def _loaded(folder: Path) -> RunInfo | None:
    """Return the run of a folder; None if it did not begin or cannot be read."""
    try:
        return load_run(folder)
    except InputError:
        return None


def _each(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _page(file: Path) -> Path | None:
    return file if file.is_file() else None


def scenarios_of(rows: Sequence[Past]) -> list[str]:
    """Return the names of all scenarios of some rows, sorted."""
    return sorted({name for row in rows for name in row.scenarios})
