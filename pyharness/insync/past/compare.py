"""Compares two past results: set-up, verdicts, figures and anomalies of the arms that both have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from pathlib import Path
from statistics import median
from typing import Any, Literal

from insync.errors import InputError
from insync.events.matrix_info import is_matrix, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN
from insync.events.verdict import Cell, read_cells, read_verdict
from insync.metrics import METRICS, of_verdict
from insync.outcome import Outcome
from insync.statistics import (
    LEVEL,
    change_between,
    change_of_pairs,
    holm,
    pairs_needed,
    values_needed,
)

Conclusion = Literal["same", "differs", "unclear"]

KEY = ("scenario", "kafka", "arm")
"""What names a cell."""
ANOMALIES = tuple(name for name in of_verdict() if METRICS[name].integrity or name == "duplicated")
"""The metrics that count anomalies: one that only one side has is a difference without a test."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A metric of an arm on both sides: medians, and B minus A.

    `low` to `high` is the exact 95 % interval, `p_value` that of the exact test, `p_holm` the same
    adjusted over all figures of the comparison; None with too few repeats.
    """

    scenario: str
    kafka: str
    arm: str
    metric: str
    a: float
    b: float
    repeats_a: int
    repeats_b: int
    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether it differs beyond noise."""
        return self.p_holm is not None and self.p_holm <= LEVEL


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """The verdicts of an arm on both sides, with their reasons if they differ."""

    scenario: str
    kafka: str
    arm: str
    a: str
    b: str
    reason_a: str
    reason_b: str


@dataclass(frozen=True, kw_only=True)
class Anomaly:
    """How many anomalies of a kind all repeats of an arm have; None: not known."""

    scenario: str
    kafka: str
    arm: str
    metric: str
    a: int | None
    b: int | None


@dataclass(frozen=True, kw_only=True)
class Compared:
    """How two results differ.

    `needed` is how many repeats could show what differs in every repeat, over so many figures.
    """

    a: str
    b: str
    paired: bool
    setup: Sequence[tuple[str, str, str]]
    verdicts: Sequence[Verdicts]
    figures: Sequence[Figure]
    anomalies: Sequence[Anomaly]
    only_a: Sequence[str]
    only_b: Sequence[str]
    compared: int
    needed: int

    @property
    def outcome(self) -> Conclusion:
        """Whether they differ beyond noise; unclear if too few repeats could tell."""
        if self.verdicts or self.anomalies or any(each.is_clear for each in self.figures):
            return "differs"
        return "unclear" if any(self._is_out_of_reach(each) for each in self.figures) else "same"

    def _is_out_of_reach(self, figure: Figure) -> bool:
        """Whether so few repeats could not show even a difference that all of them have."""
        n, m = figure.repeats_a, figure.repeats_b
        least = 2 / (2**n if self.paired else comb(n + m, n))
        return least * len(self.figures) > LEVEL

    def as_json(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {
            **asdict(self),
            "outcome": self.outcome,
            "setup": [dict(zip(("what", "a", "b"), each, strict=True)) for each in self.setup],
        }


UNSAID = {
    "started_ms", "finished_ms", "schema", "scenario_name", "name", "summary", "skipped",
    "keep_data",
}  # fmt: skip
"""Keys of run.json that say nothing about the set-up, or are named otherwise."""


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
    setup = {"command": info.command} if info.command else {}
    for run in info.run_folders(folder):
        if (run / RUN).is_file():
            setup.update(_of_run_in_matrix(run))
    return Side(folder, cells, setup)


def _of_run_in_matrix(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the settings of a run of a matrix; those of its scenario under the scenario's name."""
    (_, scenario), *settings = _setup_of(folder)
    for name, value in settings:
        if name.startswith("host."):
            yield name, value
        elif name not in ("kafka", "cluster", "seed"):
            yield f"{scenario}: {name}", value


def _setup_of(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every setting of a run by its path in run.json; raises InputError."""
    yield "scenario", load_run(folder).scenario_name
    raw = json.loads((folder / RUN).read_bytes())
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


def compare(a: Side, b: Side, *, paired: bool = False) -> Compared:
    """Compare two results; raises InputError if they have no arm in common.

    `paired` means that repeat n of both was made under the same conditions, such as in turn.
    """
    matched = list(_matched(a, b))
    if not matched:
        raise InputError(
            f"{b.folder}: no arm of a scenario in common with {a.folder}, which has"
            f" {', '.join(map(_name, a.cells)) or 'none that ran'}"
        )
    found = [each for x, y in matched for each in _figures(x, y, paired=paired)]
    adjusted = zip(found, holm([each.p_value for each in found]), strict=True)
    figures = [replace(each, p_holm=p_holm) for each, p_holm in adjusted]
    needed = pairs_needed if paired else values_needed
    return Compared(
        a=str(a.folder),
        b=str(b.folder),
        paired=paired,
        setup=_setup(a.setup, b.setup),
        verdicts=[each for x, y in matched for each in _verdicts(x, y)],
        figures=figures,
        anomalies=[each for x, y in matched for each in _anomalies(x, y)],
        only_a=[_name(cell) for cell in a.cells if all(cell is not x for x, _ in matched)],
        only_b=[_name(cell) for cell in b.cells if all(cell is not y for _, y in matched)],
        compared=len(matched),
        needed=needed(len(figures) or 1),
    )


def _matched(a: Side, b: Side) -> Iterator[tuple[Cell, Cell]]:
    """Yield the cells that both have.

    A scenario, version or arm need not be the same if either side has only one.
    """
    ignored = {
        name
        for name in KEY
        if all(len({_key(cell)[name] for cell in side.cells}) == 1 for side in (a, b))
    }

    def part(cell: Cell) -> tuple[str, ...]:
        return tuple(value for name, value in _key(cell).items() if name not in ignored)

    of_b = {part(cell): cell for cell in b.cells}
    yield from ((cell, of_b[part(cell)]) for cell in a.cells if part(cell) in of_b)


def _key(cell: Cell) -> dict[str, str]:
    return {name: getattr(cell, name) for name in KEY}


def _name(cell: Cell) -> str:
    return f"{cell.scenario} on {cell.kafka}: {cell.arm}"


def _shared(a: Cell, b: Cell) -> dict[str, Any]:
    """Return the parts of two keys by name; both, where they differ."""
    one, other = _key(a), _key(b)
    return {
        name: value if value == other[name] else f"{value} / {other[name]}"
        for name, value in one.items()
    }


def _setup(a: Mapping[str, str], b: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return what differs in the set-up."""
    names = dict.fromkeys([*a, *b])
    pairs = ((name, a.get(name, ""), b.get(name, "")) for name in names)
    return [each for each in pairs if each[1] != each[2]]


def _verdicts(a: Cell, b: Cell) -> Iterator[Verdicts]:
    if a.outcome != b.outcome:
        yield Verdicts(
            **_shared(a, b), a=a.outcome, b=b.outcome, reason_a=a.reason, reason_b=b.reason
        )


def _anomalies(a: Cell, b: Cell) -> Iterator[Anomaly]:
    for metric in ANOMALIES:
        of_a, of_b = (_sum(cell.values(metric)) for cell in (a, b))
        if bool(of_a) != bool(of_b):
            yield Anomaly(**_shared(a, b), metric=metric, a=of_a, b=of_b)


def _sum(values: Sequence[float | None]) -> int | None:
    known = [value for value in values if value is not None]
    return int(sum(known)) if known else None


def _figures(a: Cell, b: Cell, *, paired: bool) -> Iterator[Figure]:
    """Yield the metrics whose values are not all the same."""
    for metric in of_verdict():
        if metric in ANOMALIES:
            continue
        of_a, of_b = _values(a, b, metric, paired=paired)
        if of_a and of_b and len({*of_a, *of_b}) > 1:
            found = (
                change_of_pairs([after - before for before, after in zip(of_a, of_b, strict=True)])
                if paired
                else change_between(of_a, of_b)
            )
            yield Figure(
                **_shared(a, b),
                metric=metric,
                a=median(of_a),
                b=median(of_b),
                repeats_a=len(of_a),
                repeats_b=len(of_b),
                **asdict(found),
            )


def _values(a: Cell, b: Cell, metric: str, *, paired: bool) -> tuple[list[float], list[float]]:
    """Return the known values of both; in pairs only those of repeats in which both are known."""
    of_a, of_b = a.values(metric), b.values(metric)
    if not paired:
        return [x for x in of_a if x is not None], [y for y in of_b if y is not None]
    both = [(x, y) for x, y in zip(of_a, of_b, strict=False) if x is not None and y is not None]
    return [x for x, _ in both], [y for _, y in both]
