"""Level faults: scenarios of the matrix and seeds of the fuzz, both sides at the same time."""

from pathlib import Path

from insync.events.matrix_info import CELLS, PAGE
from insync.events.verify_info import LevelInfo
from insync.run.analysis import analyse_matrices
from insync.verify.faulted.cases import cases_of
from insync.verify.faulted.found import pairs
from insync.verify.faulted.judge import differences, relative, rows_of
from insync.verify.faulted.record import parts, record, recorded_matrices
from insync.verify.level import Context, Level, result
from insync.verify.sides import Side

NAME = "faults"


def run(candidate: Side, baseline: Side, out: Path, context: Context) -> LevelInfo:
    """Record what is not recorded yet, analyse it, and judge it."""
    cases = cases_of(context.asked)
    both = (baseline, candidate)
    wrong = record(cases, both, out, context)
    fresh = [each for each in recorded_matrices(out, both) if not (each / CELLS).is_file()]
    if fresh:
        analyse_matrices(fresh, context.analysis, context.progress)
    found = pairs(cases, candidate, baseline, out)
    rows = rows_of(cases, found, context)
    worse, table = differences(cases, found, context.asked.repeats)
    links = {
        f"{side.name}: all scenarios{'' if number == 1 else f', part {number}'}":
        f"{NAME}/{part.name}/{side.name}/{PAGE}"
        for number, part in enumerate(parts(out), 1)
        for side in both
    }  # fmt: skip
    return result(
        NAME, [*relative(rows, out.parent), *worse], tables=[table] if table else [], links=links,
        notes=wrong,
    )  # fmt: skip


LEVEL = Level(
    name=NAME,
    says="scenarios with faults and random faults, on both sides at the same time",
    place=3,
    run=run,
)
