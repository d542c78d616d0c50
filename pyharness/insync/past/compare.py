"""Compares two past results: set-up, verdicts, figures and anomalies of the arms that both have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from insync.errors import InputError
from insync.events.matrix_info import is_matrix, load_matrix
from insync.events.run_info import read_recorded
from insync.events.schema import RUN
from insync.events.verdict import Cell, read_cells, read_verdict
from insync.metrics import METRICS, of_verdict
from insync.outcome import Outcome
from insync.report.sections import table
from insync.report.statistics import interval_text, label, p_text, value_text
from insync.result import Result
from insync.statistics import LEVEL, Change, change_between, holm, values_needed

KEY = ("scenario", "kafka", "arm")
"""What names a cell."""
ANOMALIES = tuple(name for name in of_verdict() if METRICS[name].integrity or name == "duplicated")
"""The metrics that count anomalies: one that only one side has is a difference without a test."""

Pair = tuple[Cell, Cell]
"""A cell on both sides."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A metric of a cell on both sides: medians, and how far B's values are above A's.

    `repeats` are those of A and of B; `p_holm` is the p-value adjusted over all figures of the
    comparison, None with too few repeats.
    """

    cell: str
    metric: str
    a: float
    b: float
    repeats: tuple[int, int]
    change: Change
    p_holm: float | None = None

    @property
    def is_clear(self) -> bool:
        """Whether it differs beyond noise."""
        return self.p_holm is not None and self.p_holm <= LEVEL

    def is_out_of_reach(self, figures: int) -> bool:
        """Whether so few repeats could not show even a difference that all of them have."""
        n, m = self.repeats
        return 2 / comb(n + m, n) * figures > LEVEL

    @property
    def found(self) -> str:
        """B's median, and how far it is above A's."""
        *_, b, change, p = self.row()
        return f"{b} ({change}, p {p})"

    def row(self) -> list[str]:
        change = self.change
        return [
            self.cell, label(self.metric), ", ".join(map(str, self.repeats)), value_text(self.a),
            value_text(self.b), interval_text(change.difference or 0, change.low, change.high),
            p_text(self.p_holm),
        ]  # fmt: skip


UNSAID = {
    "started_ms", "finished_ms", "schema", "scenario", "name", "summary", "skipped", "keep_data",
    "expect", "expect_on", "expect_on_zookeeper",
}  # fmt: skip
"""Keys of run.json, and of its scenario, that say nothing about the set-up."""


@dataclass(frozen=True)
class ComparedSide:
    """One of the two: `runs` has what `run.json` says, by scenario."""

    folder: Path
    cells: Sequence[Cell]
    runs: Mapping[str, Mapping[str, Any]]


def read_side(folder: Path) -> ComparedSide:
    """Read a run folder or a matrix folder that was analysed; raises InputError."""
    if is_matrix(folder):
        cells = [cell for cell in read_cells(folder) if cell.outcome != Outcome.SKIPPED]
        folders = load_matrix(folder).run_folders(folder)
        runs = [run for run in folders if (run / RUN).is_file()]
    else:
        found = read_verdict(folder)
        cells, runs = [found.cell(arm) for arm in found.arms], [folder]
    infos = [read_recorded(dict[str, Any], run, RUN, "a run folder") for run in runs]
    return ComparedSide(folder, cells, {info["scenario_name"]: info for info in infos})


def changed(a: ComparedSide, b: ComparedSide) -> list[str]:
    """Return the names of the settings in which runs of a scenario differ; of single runs any."""
    shared = [(a.runs[name], b.runs[name]) for name in a.runs if name in b.runs]
    names = set()
    for pair in shared or zip(a.runs.values(), b.runs.values(), strict=False):
        one, other = ({**info["scenario"], **info} for info in pair)
        names |= {key for key in one.keys() | other.keys() if one.get(key) != other.get(key)}
    return sorted(names - UNSAID)


def compare(a: ComparedSide, b: ComparedSide) -> Result:
    """Compare two results; raises InputError if they have no arm in common.

    It fails if a verdict, an anomaly or a figure differs, and is unknown if too few repeats could
    show that.
    """
    pairs = matched(a, b)
    found = figures(pairs)
    more = f"{values_needed(len(found) or 1)} repeats on each side"
    alone = [
        (side, _name(cell))
        for side, cells, place in (("A", a.cells, 0), ("B", b.cells, 1))
        for cell in cells
        if all(cell is not pair[place] for pair in pairs)
    ]
    tables = (
        table("Set-up", "setting that differs", [[name] for name in changed(a, b)], "", {0}),
        table("Arms of one side", "side | arm", alone, "", {0, 1}),
        table(
            "Figures: medians, and B - A [95 % interval]",
            "arm | metric | repeats | A | B | B - A | p, Holm",
            [each.row() for each in sorted(found, key=lambda each: not each.is_clear)],
            "",
            {0, 1, 2},
        ),
    )
    children = []
    for pair in pairs:
        of = _both(*pair)
        own = (_check(each, len(found), more) for each in found if each.cell == of)
        children.append(Result(of=of, children=(_verdict(*pair), *_anomalies(*pair), *own)))
    return Result(
        of=f"{b.folder} beside {a.folder}",
        children=tuple(children),
        tables=tuple(each for each in tables if each.rows),
    )


def _verdict(a: Cell, b: Cell) -> Result:
    return Result(
        of="verdict", expected="the same",
        outcome=Outcome.PASS if a.outcome == b.outcome else Outcome.FAIL,
        baseline=": ".join(filter(None, (a.outcome, a.reason))),
        found=": ".join(filter(None, (b.outcome, b.reason))),
    )  # fmt: skip


def _anomalies(a: Cell, b: Cell) -> Iterator[Result]:
    """Yield a check per anomaly that only one side has."""
    for metric in ANOMALIES:
        of_a, of_b = (_sum(cell.values(metric)) for cell in (a, b))
        if bool(of_a) != bool(of_b):
            yield Result(
                of=label(metric), expected="as in A", baseline=value_text(of_a),
                found=f"{value_text(of_b)} in all repeats", outcome=Outcome.FAIL,
            )  # fmt: skip


def _sum(values: Sequence[float | None]) -> int | None:
    known = _known(values)
    return int(sum(known)) if known else None


def _check(each: Figure, figures: int, more: str) -> Result:
    """Return the check of a figure; `more` repeats could show what differs in all of them."""
    unknown = not each.is_clear and each.is_out_of_reach(figures)
    numbers = {"a": each.a, "b": each.b, **asdict(each.change), "p_holm": each.p_holm}
    return Result(
        of=label(each.metric),
        expected="the same, except noise",
        baseline=value_text(each.a),
        found=each.found + (f"; {more} show a difference" if unknown else ""),
        outcome=Outcome.UNKNOWN if unknown else Outcome.FAIL if each.is_clear else Outcome.PASS,
        facts={name: f"{value:.6g}" for name, value in numbers.items() if value is not None},
    )


def matched(a: ComparedSide, b: ComparedSide) -> list[Pair]:
    """Return the cells that both have; raises InputError if there is none.

    A scenario, version or arm need not be the same if either side has only one.
    """
    ignored = {
        name
        for name in KEY
        if all(len({getattr(cell, name) for cell in side.cells}) == 1 for side in (a, b))
    }

    def part(cell: Cell) -> tuple[str, ...]:
        return tuple(getattr(cell, name) for name in KEY if name not in ignored)

    of_b = {part(cell): cell for cell in b.cells}
    found = [(cell, of_b[part(cell)]) for cell in a.cells if part(cell) in of_b]
    if not found:
        raise InputError(
            f"{b.folder}: no arm of a scenario in common with {a.folder}, which has"
            f" {', '.join(map(_name, a.cells)) or 'none that ran'}"
        )
    return found


def _name(cell: Cell) -> str:
    return f"{cell.scenario} on {cell.kafka}: {cell.arm}"


def _both(a: Cell, b: Cell) -> str:
    """Return the name of a pair; what differs has both names."""
    one, other = ([getattr(cell, name) for name in KEY] for cell in (a, b))
    same = [x if x == y else f"{x} / {y}" for x, y in zip(one, other, strict=True)]
    return "{} on {}: {}".format(*same)


def figures(pairs: Iterable[Pair]) -> list[Figure]:
    """Return the metrics whose values are not all the same."""
    found = [each for pair in pairs for each in _figures(*pair)]
    adjusted = holm([each.change.p_value for each in found])
    return [replace(each, p_holm=p) for each, p in zip(found, adjusted, strict=True)]


def _figures(a: Cell, b: Cell) -> Iterator[Figure]:
    for metric in of_verdict():
        if metric in ANOMALIES:
            continue
        of_a, of_b = (_known(cell.values(metric)) for cell in (a, b))
        if of_a and of_b and len({*of_a, *of_b}) > 1:
            yield Figure(
                cell=_both(a, b), metric=metric, a=median(of_a), b=median(of_b),
                repeats=(len(of_a), len(of_b)), change=change_between(of_a, of_b),
            )  # fmt: skip


def _known(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]
