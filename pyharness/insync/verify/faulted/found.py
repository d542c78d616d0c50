"""Read what was recorded and analysed of each case on each side."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from insync.errors import InsyncError
from insync.events.matrix_info import CELLS
from insync.fuzz.judge import ArmResult, Broken, judge, read_broken
from insync.past.side import Side as PastSide
from insync.past.side import read_side
from insync.report.matrix.cells import MatrixCell, read_cells
from insync.verify.faulted.cases import Case
from insync.verify.faulted.record import is_recorded, parts
from insync.verify.sides import Side


@dataclass(frozen=True, slots=True)
class Found:
    """A case on a side: its cell, in the file's form too, and the matrix that has it.

    `broken` says why it was cut short, if an error did that.
    """

    cell: MatrixCell
    raw: Mapping[str, Any]
    matrix: Path
    broken: Broken | None

    def as_seed(self, case: Case) -> ArmResult:
        """Return the result of a seed, judged as a fuzz judges it."""
        return judge(self.raw, case.scenario.workload.acks, self.broken)


@dataclass(frozen=True, slots=True)
class Pair:
    """A case on both sides."""

    baseline: Found
    candidate: Found


def pairs(cases: Sequence[Case], candidate: Side, baseline: Side, out: Path) -> dict[str, Pair]:
    """Return what was found of every case, by its name; raises InsyncError if nothing was.

    Of several parts it is the one in which the case came to its end, else the last one.
    """
    both = (baseline, candidate)
    found: dict[str, Pair] = {}
    for part in parts(out):
        sides = [_of_side(part / side.name, side) for side in both]
        for case in cases:
            if all(case.name in side for side in sides):
                before = case.name in found
                if not before or is_recorded(part, both, case.name):
                    found[case.name] = Pair(*(side[case.name] for side in sides))
    if not found:
        raise InsyncError("no case was recorded on both sides")
    return found


def _of_side(matrix: Path, side: Side) -> dict[str, Found]:
    if not (matrix / CELLS).is_file():
        return {}
    broken = read_broken(matrix, side.release.name, side.arm)
    raw = json.loads((matrix / CELLS).read_text(encoding="utf-8"))
    return {
        cell.scenario: Found(cell, keys, matrix, broken.get(cell.scenario))
        for cell, keys in zip(read_cells(matrix), raw, strict=True)
    }


def past_sides(found: Mapping[str, Pair], cases: Sequence[Case]) -> tuple[PastSide, PastSide]:
    """Return both sides as `insync compare` takes them: the scenarios that came to their end."""
    names = [case.name for case in cases if case.seed is None and case.name in found]
    return (
        _past({name: found[name].baseline.matrix for name in names}),
        _past({name: found[name].candidate.matrix for name in names}),
    )


def _past(matrices: Mapping[str, Path]) -> PastSide:
    made = {matrix: read_side(matrix) for matrix in dict.fromkeys(matrices.values())}
    cells = [
        cell
        for matrix, side in made.items()
        for cell in side.cells
        if matrices.get(cell.key.scenario) == matrix
    ]
    return replace(next(iter(made.values())), cells=cells)
