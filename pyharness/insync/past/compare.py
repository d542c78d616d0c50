"""Compares two past results: set-up, verdicts, figures and anomalies of the arms that both have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from statistics import median
from typing import Any, Literal

from insync.errors import InputError
from insync.events.verdict import Cell
from insync.metrics import METRICS, of_verdict
from insync.past.side import Key, Side
from insync.statistics import (
    LEVEL,
    exchange_p,
    holm,
    median_interval,
    pairs_needed,
    shift,
    shift_interval,
    sign_flip_p,
    values_needed,
)

Outcome = Literal["same", "differs", "unclear"]

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
    def outcome(self) -> Outcome:
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
    figures = list(_adjusted([each for x, y in matched for each in _figures(x, y, paired=paired)]))
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
        place
        for place in range(len(Key._fields))
        if len({Key.of(cell)[place] for cell in a.cells}) == 1
        and len({Key.of(cell)[place] for cell in b.cells}) == 1
    }

    def part(cell: Cell) -> tuple[str, ...]:
        return tuple(each for place, each in enumerate(Key.of(cell)) if place not in ignored)

    of_b = {part(cell): cell for cell in b.cells}
    yield from ((cell, of_b[part(cell)]) for cell in a.cells if part(cell) in of_b)


def _name(cell: Cell) -> str:
    return str(Key.of(cell))


def _shared(a: Cell, b: Cell) -> dict[str, Any]:
    return Key.of(a).shared(Key.of(b))


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
            gained = [after - before for before, after in zip(of_a, of_b, strict=False)]
            found = median_interval(gained) if paired else shift_interval(of_a, of_b)
            yield Figure(
                **_shared(a, b),
                metric=metric,
                a=median(of_a),
                b=median(of_b),
                repeats_a=len(of_a),
                repeats_b=len(of_b),
                difference=median(gained) if paired else shift(of_a, of_b),
                low=None if found is None else found.low,
                high=None if found is None else found.high,
                p_value=sign_flip_p(gained) if paired else exchange_p(of_a, of_b),
            )


def _values(a: Cell, b: Cell, metric: str, *, paired: bool) -> tuple[list[float], list[float]]:
    """Return the known values of both; in pairs only those of repeats in which both are known."""
    of_a, of_b = a.values(metric), b.values(metric)
    if not paired:
        return [x for x in of_a if x is not None], [y for y in of_b if y is not None]
    both = [(x, y) for x, y in zip(of_a, of_b, strict=False) if x is not None and y is not None]
    return [x for x, _ in both], [y for _, y in both]


def _adjusted(figures: Iterable[Figure]) -> Iterator[Figure]:
    found = list(figures)
    adjusted = iter(holm([each.p_value for each in found if each.p_value is not None]))
    for each in found:
        yield each if each.p_value is None else replace(each, p_holm=next(adjusted))
