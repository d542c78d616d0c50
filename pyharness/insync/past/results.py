"""Finds runs, matrices and campaigns below a folder, and reads them as rows of a list.

What cannot be read is a row with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from insync.errors import InputError
from insync.events.matrix_info import CELLS, PLAN, is_matrix, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import CAMPAIGN, RUN, VERDICT
from insync.events.verdict import read_cells, read_verdict
from insync.outcome import Outcome
from insync.report.matrix.cells import outcome, sentence
from insync.result import Result

LEVELS = 3
MOST_NAMES = 3
NOT_ANALYSED = "not analysed: insync report {}"
CUT_SHORT = "cut short, or still running"


@dataclass(frozen=True, kw_only=True)
class Past:
    """A past run, or a `campaign`, such as `matrix` or `fuzz`.

    `scenarios`, `kafka` and `arms` are all that it has, `repeats` and `took_ms` those of a run.
    `when_ms` is when it began; of what cannot be read, when its folder was last changed. `reason`
    says what the verdict rests on, or why it is None.
    """

    folder: Path
    campaign: str | None = None
    when_ms: float
    verdict: Outcome | None
    reason: str
    scenarios: tuple[str, ...] = ()
    kafka: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    repeats: int | None = None
    took_ms: float | None = None

    @property
    def name(self) -> str:
        """What it is called: its scenario, or how many a matrix has."""
        if self.campaign and self.scenarios:
            return f"{self.campaign}: {_few(self.scenarios)}"
        return next(iter(self.scenarios), self.campaign or self.folder.name)

    @property
    def facts(self) -> list[str]:
        """Kafka, arms, repeats, when it began and how long it took; empty if not known."""
        return [
            ", ".join(self.kafka),
            _few(self.arms),
            "" if self.repeats is None else str(self.repeats),
            f"{datetime.fromtimestamp(self.when_ms / 1e3, UTC):%Y-%m-%d %H:%M UTC}",
            "" if self.took_ms is None else f"{self.took_ms / 60_000:.1f} min",
        ]

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object; paths are text."""
        return {k: str(v) if isinstance(v, Path) else v for k, v in self.__dict__.items()}


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES])
    return f"{shown} and {more} more" if more > 0 else shown


def find_results(folder: Path) -> list[Path]:
    """Return the results in a folder, or up to three levels below it; raises InputError.

    The runs of a matrix are part of it and not listed; those of a campaign are listed after it.
    Other folders are passed over.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder, expected one with runs or matrices")
    try:
        return list(_below(folder, LEVELS))
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from error


def is_result(folder: Path) -> bool:
    return is_matrix(folder) or (folder / RUN).is_file()


def _below(folder: Path, levels: int) -> Iterator[Path]:
    if is_result(folder):
        yield folder
        return
    if (folder / CAMPAIGN).is_file():
        yield folder
    if levels > 0:
        for child in sorted(folder.iterdir()):
            if child.is_dir() and child.name[0] != ".":
                yield from _below(child, levels - 1)


def past_results(found: Sequence[Path]) -> list[Past]:
    """Return a row for each run, matrix and campaign, newest first; a campaign has its parts."""
    campaigns = {each for each in found if not is_result(each)}
    rows = [_read(each) for each in found if campaigns.isdisjoint(each.parents)]
    return sorted(rows, key=lambda row: (-row.when_ms, str(row.folder)))


def _read(folder: Path) -> Past:
    read = _matrix if is_matrix(folder) else _run if is_result(folder) else _campaign
    try:
        return read(folder)
    except InputError as error:
        return Past(
            folder=folder, when_ms=_changed_ms(folder), verdict=None,
            reason=str(error).removeprefix(f"{folder}/"),
        )  # fmt: skip


def _run(folder: Path) -> Past:
    info = load_run(folder)
    verdict: Outcome | None = None
    reason = NOT_ANALYSED.format(folder) if info.finished else CUT_SHORT
    if (folder / VERDICT).is_file():
        found = read_verdict(folder)
        verdict, reason = found.verdict, found.reason
    elif info.skipped is not None:
        verdict, reason = Outcome.SKIPPED, info.skipped
    return Past(
        folder=folder, when_ms=info.started_ms, verdict=verdict, reason=reason,
        scenarios=(info.scenario_name,), kafka=(info.kafka,), arms=info.arms, repeats=info.repeats,
        took_ms=None if info.finished_ms is None else info.finished_ms - info.started_ms,
    )  # fmt: skip


def _matrix(folder: Path) -> Past:
    info = load_matrix(folder)
    verdict: Outcome | None = None
    reason = NOT_ANALYSED.format(folder)
    if (folder / CELLS).is_file():
        cells = read_cells(folder)
        verdict, reason = outcome(cells), sentence(cells)
    return Past(
        folder=folder, campaign="matrix", when_ms=_changed_ms(folder / PLAN), verdict=verdict,
        reason=reason, scenarios=tuple(dict.fromkeys(row.scenario for row in info.rows)),
        kafka=tuple(dict.fromkeys(row.kafka for row in info.rows)),
        arms=tuple(dict.fromkeys(arm for row in info.rows for arm in row.arms)),
    )  # fmt: skip


def _campaign(folder: Path) -> Past:
    try:
        known = json.loads((folder / CAMPAIGN).read_bytes())
        name, kafka = known["campaign"], known.get("asked", {}).get("Kafka", "")
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise InputError(f"{folder}/{CAMPAIGN}: {error}") from None
    verdict: Outcome | None = None
    reason = CUT_SHORT
    if (folder / VERDICT).is_file():
        found = Result.read(folder / VERDICT, f"a result of {name}")
        verdict, reason = found.outcome.verdict, found.reason
    return Past(
        folder=folder, campaign=name, verdict=verdict, reason=reason,
        when_ms=_changed_ms(folder / CAMPAIGN), kafka=(kafka,) if kafka else (),
    )  # fmt: skip


def _changed_ms(file: Path) -> float:
    return file.stat().st_mtime * 1e3
