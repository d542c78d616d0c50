"""Plan every run of a matrix, and check all input before the first file is made."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.brokers.kafka.builds import find
from insync.clients import Client
from insync.engine.recording import Recording, possible, row_of
from insync.errors import InputError
from insync.events.matrix_info import Along, MatrixInfo, MatrixOptions
from insync.matrix.groups import Entry, entries
from insync.progress import Progress
from insync.run.arm_support import arms_of
from insync.run.plan import Plan, check_out, resolve
from insync.run.request import DEFAULT_CLUSTER, DEFAULT_KAFKA, ClusterKind, RunRequest
from insync.scenario.groups import Group
from insync.scenario.load import load

_MOST_AT_ONCE: Final = 64
"""Each arm has four JVMs; no host on which the harness is tested runs more of them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRequest:
    """A request for one matrix.

    None means: the scenarios of the group sites; the arms that a scenario names and the version
    supports; the scenario's repeats and clients; the group's scale; the group's number of parallel
    arms. Races, which have no workload, keep their client.
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
    client: Client | None = None
    default_timeouts: bool = False
    unknown_methods: bool = False


def prepare_matrix(request: MatrixRequest, progress: Progress) -> tuple[Recording, int]:
    """Check the whole request and fetch missing jars; raises InputError.

    Returns what to record, and how many arms at a time.

    Writes nothing except the user's cache of Kafka versions.
    """
    if request.at_once is not None and not 1 <= request.at_once <= _MOST_AT_ONCE:
        expected = "at least 1" if request.at_once < 1 else f"at most {_MOST_AT_ONCE}"
        raise InputError(f"--side-by-side {request.at_once}: expected {expected}")
    _check_once("--kafka", request.kafka)
    if request.only is not None:
        _check_once("--only", request.only)
    names = [find(kafka).name for kafka in request.kafka]
    _check_once("--kafka", names)
    selected = entries(request.only)
    out = check_out(request.out or _default_out())
    made = [
        (entry, _run(request, kafka, entry, out / name / entry.scenario, progress))
        for kafka, name in zip(request.kafka, names, strict=True)
        for entry in selected
    ]
    at_once = request.at_once or min(entry.group.at_once for entry in selected)
    rows = tuple(
        row_of(run, out, entry.group.figures, _along(entry.group, run)) for entry, run in made
    )
    info = MatrixInfo(repeats=request.repeats, asked=_options(request, at_once), rows=rows)
    return Recording(out, info, possible([run for _, run in made])), at_once


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
        client=request.client,
        default_timeouts=request.default_timeouts,
        unknown_methods=request.unknown_methods,
    )


def _check_once(option: str, values: Sequence[str]) -> None:
    if len(set(values)) != len(values):
        raise InputError(f"{option}: {','.join(values)}, expected each only once")


def _run(request: MatrixRequest, kafka: str, entry: Entry, out: Path, progress: Progress) -> Plan:
    race = load(entry.scenario).race is not None
    run_request = RunRequest(
        scenario=entry.scenario, arms=request.arms or _arms(entry.scenario, kafka), kafka=kafka,
        cluster=request.cluster,
        scale=entry.group.scale_of(entry.scenario) if request.scale is None else request.scale,
        repeats=request.repeats, seed=request.seed, out=out,
        client=None if race else request.client, default_timeouts=request.default_timeouts,
        unknown_methods=request.unknown_methods,
    )  # fmt: skip
    return resolve(run_request, out, progress)


def _arms(scenario: str, kafka: str) -> list[str]:
    """Return the arms that the scenario names and the version supports."""
    known = arms_of(kafka)
    return [arm for arm in load(scenario).arms if arm in known]


def _along(group: Group, run: Plan) -> Along | None:
    if group.along is None:
        return None
    value = getattr(run.scenario.faults[0], group.along)
    return Along(key=group.along, value=value, metrics=group.curves)


def _default_out() -> Path:
    return Path("insync-runs") / f"matrix-{time.strftime('%Y%m%d-%H%M%S')}"
