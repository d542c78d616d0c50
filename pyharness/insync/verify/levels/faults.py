"""Level faults: scenarios of the matrix and seeds of the fuzz, both sides at the same time.

Repeat n of a case begins on both sides at nearly the same time, so that what else the machine does
concerns both. A recording that was interrupted is continued.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from insync.engine.campaign import Place
from insync.engine.recording import Recording, possible, record, row_of
from insync.events.matrix_info import PAGE, MatrixInfo
from insync.metrics import DEFAULT_FIGURES
from insync.result import Result
from insync.run.analysis import analyse_matrices
from insync.run.plan import prepare
from insync.run.request import RunRequest
from insync.verify.level import Verification
from insync.verify.sides import Side
from insync.verify.under_faults.cases import Case, cases_of, of_side
from insync.verify.under_faults.judge import differences, judge_cases, pairs

NAME: Final = "faults"


def run(what: Verification, place: Place) -> Result:
    """Record what is not recorded yet, analyse it, and judge it."""
    cases, out = cases_of(what), place.folder / NAME
    folders = [out / side.name for side in (what.baseline, what.candidate)]
    recordings = [
        _recording(side, cases, folder, what, place)
        for side, folder in zip((what.baseline, what.candidate), folders, strict=True)
    ]
    failures = record(recordings, place.progress, place.at_once)
    analyse_matrices(folders, place.analysis, place.progress)
    found = pairs(cases, what, out)
    return Result(
        of=NAME,
        children=(
            *(Result(of="clusters", expected="run every case", found=each) for each in failures),
            *judge_cases(cases, found, what),
            *differences(cases, out, what.request.repeats),
        ),
        links={f"{each.name}: all scenarios": f"{NAME}/{each.name}/{PAGE}" for each in folders},
    )


def _recording(
    side: Side, cases: Sequence[Case], folder: Path, what: Verification, place: Place
) -> Recording:
    runs = []
    for case in cases:
        request = RunRequest(
            scenario=of_side(case, side, what.request.repeats), kafka=side.kafka,
            unknown_methods=what.request.unknown_methods,
            out=folder / side.release.name / case.name,
        )  # fmt: skip
        runs.append(prepare(request, place.progress, resumed=True))
    rows = [
        row_of(run, folder, case.figures or DEFAULT_FIGURES)
        for case, run in zip(cases, runs, strict=True)
    ]
    return Recording(folder, MatrixInfo(repeats=None, rows=tuple(rows)), possible(runs))
