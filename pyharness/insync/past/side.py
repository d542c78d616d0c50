"""Reads one side of a comparison: the cells of a run or a matrix, and its set-up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from insync.errors import InputError
from insync.events.matrix_info import is_matrix, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN
from insync.events.verdict import Cell, read_cells, read_verdict
from insync.outcome import Outcome

UNSAID = {
    "started_ms", "finished_ms", "schema", "scenario_name", "name", "summary", "skipped",
    "keep_data",
}  # fmt: skip
"""Keys of run.json that say nothing about the set-up, or are named otherwise."""


class Key(NamedTuple):
    """What names a cell."""

    scenario: str
    kafka: str
    arm: str

    @classmethod
    def of(cls, cell: Cell) -> Key:
        """Return the key of a cell."""
        return cls(cell.scenario, cell.kafka, cell.arm)

    def __str__(self) -> str:
        """Return scenario, version and arm in words."""
        return f"{self.scenario} on {self.kafka}: {self.arm}"

    def shared(self, other: Key) -> dict[str, Any]:
        """Return the parts of two keys by name; both, where they differ."""
        pairs = zip(self._fields, self, other, strict=True)
        return {name: a if a == b else f"{a} / {b}" for name, a, b in pairs}


@dataclass(frozen=True)
class Side:
    """A run or a matrix."""

    folder: Path
    cells: Sequence[Cell]
    setup: Mapping[str, str]


def read_side(folder: Path) -> Side:
    """Read a run folder or a matrix folder that was analysed; raises InputError."""
    if is_matrix(folder):
        return _matrix(folder)
    found = read_verdict(folder)
    return Side(folder, [found.cell(arm) for arm in found.arms], dict(_setup_of(folder)))


def _matrix(folder: Path) -> Side:
    info = load_matrix(folder)
    cells = [cell for cell in read_cells(folder) if cell.outcome != Outcome.SKIPPED]
    asked = {} if info.asked is None else info.asked.model_dump()
    setup = {f"matrix: {name}": _text(value) for name, value in asked.items()}
    for run in info.run_folders(folder):
        if (run / RUN).is_file():
            setup.update(_of_run_in_matrix(run))
    return Side(folder, cells, setup)


def _of_run_in_matrix(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the settings of a run of a matrix; those of its scenario under the scenario's name."""
    scenario = load_run(folder).scenario_name
    for name, value in _setup_of(folder):
        if name.startswith("host."):
            yield name, value
        elif name not in ("scenario", "kafka", "cluster", "seed"):
            yield f"{scenario}: {name}", value


def _setup_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every setting of a run by its path in run.json; raises InputError."""
    load_run(folder)
    try:
        raw = json.loads((folder / RUN).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / RUN}: {error}") from error
    yield "scenario", str(raw["scenario_name"])
    for name, value in raw.items():
        if name not in UNSAID and name != "scenario":
            yield from _flat(name, value)
    for name, value in raw["scenario"].items():
        if name not in UNSAID and not name.startswith("expect") and name not in raw:
            yield from _flat(name, value)


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}", inner)
    elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
        for place, inner in enumerate(value):
            yield from _flat(f"{name}[{place}]", inner)
    else:
        yield name, _text(value)


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
