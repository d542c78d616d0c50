"""Record both sides of every case at the same time, each on its own cluster.

Repeat n of a case begins on both sides at nearly the same time, so that what else the machine does
concerns both. A recording that was interrupted is continued in a new part, which has the cases that
did not come to their end on both sides.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from insync.engine import recording as engine
from insync.engine.recording import Recording, possible, row_of
from insync.errors import InputError
from insync.events.matrix_info import MatrixInfo, is_matrix, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import RUN
from insync.progress import Progress
from insync.run.plan import Plan, resolve
from insync.run.request import RunRequest
from insync.verify.faulted.cases import Case, of_side
from insync.verify.level import Context
from insync.verify.sides import Side

AT_ONCE: Final = 2
PARTS: Final = "[0-9][0-9]"


def parts(out: Path) -> list[Path]:
    """Return the folders of the recordings, in order."""
    return sorted(each for each in out.glob(PARTS) if each.is_dir())


def run_folder(part: Path, side: Side, case: str) -> Path:
    """Return the folder of a case's run on a side."""
    return part / side.name / side.release.name / case


def is_recorded(part: Path, both: Sequence[Side], case: str) -> bool:
    """Whether a case came to its end on both sides, or cannot run here."""
    return all(_has_ended(part, side, case) for side in both)


def _has_ended(part: Path, side: Side, case: str) -> bool:
    matrix = part / side.name
    if is_matrix(matrix):
        rows = load_matrix(matrix).rows
        if any(row.scenario == case and row.skipped is not None for row in rows):
            return True
    try:
        return load_run(run_folder(part, side, case)).finished
    except InputError:
        return False


def record(cases: Sequence[Case], both: Sequence[Side], out: Path, context: Context) -> list[str]:
    """Record the cases that are not recorded yet; return the failures of whole sides."""
    before = parts(out)
    left = [
        case for case in cases if not any(is_recorded(part, both, case.name) for part in before)
    ]
    if not left:
        return []
    part = out / f"{len(before) + 1:02}"
    context.progress.phase(f"faults: {len(left)} cases on both sides")
    return engine.record(
        [_matrix(side, left, part / side.name, context) for side in both], context.progress, AT_ONCE
    )


def _matrix(side: Side, cases: Sequence[Case], folder: Path, context: Context) -> Recording:
    made = [(case, _run(side, case, folder, context, context.progress)) for case in cases]
    rows = tuple(
        row_of(run, folder, case.figures) if case.figures else row_of(run, folder)
        for case, run in made
    )
    info = MatrixInfo(repeats=None, rows=rows)
    return Recording(folder, info, possible([run for _, run in made]))


def _run(side: Side, case: Case, folder: Path, context: Context, progress: Progress) -> Plan:
    scenario = of_side(case, side.info, context.asked.repeats)
    request = RunRequest(
        scenario=scenario, kafka=side.kafka,
        unknown_methods=context.asked.unknown_methods,
    )  # fmt: skip
    return resolve(request, folder / side.release.name / case.name, progress)


def recorded_matrices(out: Path, both: Sequence[Side]) -> list[Path]:
    """Return the matrices of all parts that have runs."""
    found = (part / side.name for part in parts(out) for side in both)
    return [folder for folder in found if is_matrix(folder) and _has_runs(folder)]


def _has_runs(matrix: Path) -> bool:
    return any((run / RUN).is_file() for run in load_matrix(matrix).run_folders(matrix))
