"""Every run of a matrix, checked before the first file is made: wrong input is found here."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.errors import InputError
from insync.events.matrix_info import MatrixInfo, MatrixOptions, MatrixRow
from insync.matrix.groups import Entry, entries
from insync.run.arm_support import arms_of
from insync.run.plan import Plan, check_out, resolve
from insync.run.progress import Progress
from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA, ClusterKind, RunRequest
from insync.scenario.load import load


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRequest:
    """One matrix.

    None: the scenarios of every site, the arms that they name and a version has, their own
    repeats, the scale of their group, and as many arms at a time as it takes.
    """

    kafka: Sequence[str] = (DEFAULT_KAFKA,)
    cluster: ClusterKind = DEFAULT_CLUSTER
    only: Sequence[str] | None = None
    arms: Sequence[str] | None = None
    repeats: int | None = None
    scale: float | None = None
    seed: int = 1
    out: Path | None = None
    at_once: int | None = None


@dataclass(frozen=True, slots=True)
class MatrixPlan:
    """A matrix that can begin: its runs, all but those that cannot run here."""

    request: MatrixRequest
    out: Path
    info: MatrixInfo
    runs: Sequence[Plan]
    at_once: int


def prepare_matrix(request: MatrixRequest, progress: Progress) -> MatrixPlan:
    """Check all that was asked and fetch what is missing; raises InputError.

    Nothing is written but the user's cache of Kafka versions.
    """
    if request.at_once is not None and request.at_once < 1:
        raise InputError(f"--side-by-side {request.at_once}: expected at least 1")
    _check_once("--kafka", request.kafka)
    if request.only is not None:
        _check_once("--only", request.only)
    selected = entries(request.only)
    out = check_out(request.out or _default_out())
    made = [
        (entry, _run(request, kafka, entry, out / kafka / entry.scenario, progress))
        for kafka in request.kafka
        for entry in selected
    ]
    at_once = request.at_once or min(entry.group.at_once for entry in selected)
    rows = tuple(_row(entry, run, out) for entry, run in made)
    return MatrixPlan(
        request=request,
        out=out,
        info=MatrixInfo(repeats=request.repeats, asked=_options(request, at_once), rows=rows),
        runs=[run for _, run in made if run.skip is None],
        at_once=at_once,
    )


def _options(request: MatrixRequest, at_once: int) -> MatrixOptions:
    return MatrixOptions(
        kafka=tuple(request.kafka),
        cluster=request.cluster,
        only=None if request.only is None else tuple(request.only),
        arms=None if request.arms is None else tuple(request.arms),
        repeats=request.repeats,
        scale=request.scale,
        seed=request.seed,
        side_by_side=at_once,
    )


def _check_once(option: str, values: Sequence[str]) -> None:
    if len(set(values)) != len(values):
        raise InputError(f"{option}: {','.join(values)}, expected each only once")


def _run(request: MatrixRequest, kafka: str, entry: Entry, out: Path, progress: Progress) -> Plan:
    run_request = RunRequest(
        scenario=entry.scenario, arms=request.arms or _arms(entry.scenario, kafka), kafka=kafka,
        cluster=request.cluster,
        scale=entry.group.scale_of(entry.scenario) if request.scale is None else request.scale,
        repeats=request.repeats, seed=request.seed, out=out,
    )  # fmt: skip
    return resolve(run_request, out, progress)


def _arms(scenario: str, kafka: str) -> list[str]:
    """Return the arms that a scenario names and a version has."""
    known = arms_of(kafka)
    return [arm for arm in load(scenario).arms if arm in known]


def _row(entry: Entry, run: Plan, out: Path) -> MatrixRow:
    return MatrixRow(
        kafka=run.kafka.version,
        scenario=run.scenario.name,
        summary=run.scenario.summary,
        arms=run.scenario.arms,
        folder=run.out.relative_to(out).as_posix(),
        skipped=run.skip,
        figures=tuple(entry.group.figures),
    )


def _default_out() -> Path:
    return Path("insync-runs") / f"matrix-{time.strftime('%Y%m%d-%H%M%S')}"
