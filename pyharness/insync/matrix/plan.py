"""Every run of a matrix, checked before the first file is made: wrong input is found here."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.events.matrix_info import MatrixInfo, MatrixRow
from insync.matrix.request import MatrixRequest
from insync.run.plan import Plan, check_out, resolve
from insync.run.request import RunRequest
from insync.run.support import arms_of
from insync.run.watch import Watch
from insync.scenario.load import MATRIX

ARMS: Final = ("stock", "off", "read", "request")
"""The arms of a matrix where a version has them; `plugin` would be `request` once more."""


@dataclass(frozen=True, slots=True)
class MatrixPlan:
    """A matrix that can begin: its runs, all but those that cannot run here."""

    request: MatrixRequest
    out: Path
    info: MatrixInfo
    runs: Sequence[Plan]

    def of_version(self, kafka: str) -> list[Plan]:
        """Return the runs on one version."""
        return [run for run in self.runs if run.kafka.version == kafka]


def prepare_matrix(request: MatrixRequest, watch: Watch) -> MatrixPlan:
    """Check all that was asked and fetch what is missing; raises InputError.

    Nothing is written but the user's cache of Kafka versions.
    """
    if request.at_once < 1:
        raise InputError(f"--side-by-side {request.at_once}: expected at least 1")
    _check_once("--kafka", request.kafka)
    names = _names(request.only)
    out = check_out(request.out or _default_out())
    runs = [
        _run(request, kafka, name, out / kafka / name, watch)
        for kafka in request.kafka
        for name in names
    ]
    rows = tuple(_row(run, out) for run in runs)
    return MatrixPlan(
        request=request,
        out=out,
        info=MatrixInfo(repeats=request.repeats, rows=rows),
        runs=[run for run in runs if run.skip is None],
    )


def _names(only: Sequence[str] | None) -> Sequence[str]:
    if only is None:
        return MATRIX
    _check_once("--only", only)
    for name in only:
        if name not in MATRIX:
            raise InputError(f"--only: {name!r}, expected one of: {', '.join(MATRIX)}")
    return [name for name in MATRIX if name in only]


def _check_once(option: str, values: Sequence[str]) -> None:
    if len(set(values)) != len(values):
        raise InputError(f"{option}: {','.join(values)}, expected each only once")


def _run(request: MatrixRequest, kafka: str, name: str, out: Path, watch: Watch) -> Plan:
    known = arms_of(kafka)
    arms = request.arms or [arm for arm in ARMS if arm in known]
    asked = RunRequest(
        scenario=name, arms=arms, kafka=kafka, cluster=request.cluster, repeats=request.repeats,
        seed=request.seed, out=out,
    )  # fmt: skip
    return resolve(asked, out, watch)


def _row(run: Plan, out: Path) -> MatrixRow:
    return MatrixRow(
        kafka=run.kafka.version,
        scenario=run.scenario.name,
        summary=run.scenario.summary,
        arms=run.scenario.arms,
        folder=run.out.relative_to(out).as_posix(),
        skipped=run.skip,
    )


def _default_out() -> Path:
    return Path("insync-runs") / f"matrix-{time.strftime('%Y%m%d-%H%M%S')}"
