"""Finds the run folders in the named folders, and the problems of the others; makes their tables.

A named folder is a run folder, or contains run folders up to three levels down (as a matrix does).
Of two copies of one run the finished one is used, else the first by name; the other one is listed
as a problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from insync.analysis.engine.files import Files, FilesOf
from insync.analysis.tables.rows import Row
from insync.events.matrix_info import PLAN
from insync.events.run_info import RunInfo, first_problem, run_name
from insync.events.schema import EVENTS, RUN

_LEVELS = 3

MARK = "_insync.json"
"""Marks a folder as an output of the pipeline, which a later refresh may replace."""


@dataclass(frozen=True)
class Folder:
    """A searched folder, with its run if it has one, else with the `problem`.

    `run` is the run's name in every table. A used folder may have a `problem` too, such as an
    interrupted run: its tables then prove less.
    """

    path: str
    info: RunInfo | None = None
    run: str | None = None
    problem: str | None = None
    has_events: bool = False

    @property
    def used(self) -> bool:
        """Return whether its events go into the tables."""
        return self.run is not None


def look(files_of: FilesOf, named: Sequence[str]) -> list[Folder]:
    """Return every run folder in the named folders, and the named folders without any."""
    found = [folder for path in named for folder in _within(files_of(path), path)]
    return _without_copies(found)


def of_run(path: str, info: RunInfo, *, has_events: bool) -> Folder:
    """Return the folder of a run that was loaded."""
    problem = None
    if not has_events:
        problem = f"no {EVENTS}: the run recorded nothing"
    elif not info.finished:
        problem = "interrupted: run.json has no finished_ms"
    return Folder(path, info, run_name(info), problem, has_events)


def _within(files: Files, path: str) -> Iterator[Folder]:
    path = files.qualified(path)
    if not files.exists(path):
        yield Folder(path, problem="no such folder")
        return
    found = [
        entry.path
        for level in range(_LEVELS + 1)
        for entry in files.matching(path, "*/" * level + RUN)
    ]
    if not found:
        what = "holds no run" if files.children(path) else "is empty"
        yield Folder(path, problem=f"{what}: no {RUN}, in it or up to {_LEVELS} folders down")
    for file in found:
        yield _load(files, file)
    yield from _without_runs(files, path, found)


def _without_runs(files: Files, path: str, found: Sequence[str]) -> Iterator[Folder]:
    """Yield the subfolders without a run, unless `path` is the folder of a run or a matrix."""
    if any(files.exists(f"{path}/{own}") for own in (RUN, PLAN, MARK)):
        return
    for child in files.folders(path):
        if child.startswith(".") or files.exists(f"{path}/{child}/{MARK}"):
            continue
        if not any(file.startswith(f"{path}/{child}/") for file in found):
            yield Folder(f"{path}/{child}", problem=f"holds no run: no {RUN}")


def _load(files: Files, file: str) -> Folder:
    path = file.removesuffix(f"/{RUN}")
    try:
        info = RunInfo.model_validate_json(files.read(file))
    except ValidationError as error:
        return Folder(path, problem=f"{RUN}: {first_problem(error)}")
    return of_run(path, info, has_events=files.exists(f"{path}/{EVENTS}"))


def _without_copies(found: Sequence[Folder]) -> list[Folder]:
    """Keep one folder per run; the problem of the others names the folder that is used."""
    kept: dict[str, str] = {}
    for folder in sorted(found, key=_preference):
        if folder.run is not None:
            kept.setdefault(folder.run, folder.path)
    seen = set()
    result = []
    for folder in found:
        if folder.run is None or (kept[folder.run] == folder.path and folder.run not in seen):
            seen.add(folder.run)
            result.append(folder)
        else:
            other = f"a copy of {kept[folder.run]}: the same run"
            result.append(replace(folder, run=None, problem=other))
    return result


def _preference(folder: Folder) -> tuple[bool, bool, str]:
    finished = folder.info is not None and folder.info.finished
    return (not finished, not folder.has_events, folder.path)


def runs_rows(folders: Sequence[Folder]) -> list[Row]:
    """Return the row of each run in the table `runs`: its settings and its folder.

    `lag_ms` is the scenario's replica.lag.time.max.ms, `cooldown_ms`
    insync.relinquish.cooldown.ms.
    """
    return [
        _row(folder.run, folder.info, folder.path)
        for folder in folders
        if folder.run is not None and folder.info is not None
    ]


def inputs_rows(folders: Sequence[Folder]) -> list[Row]:
    """Return the row of each searched folder in the table `inputs`: its run, or its problem."""
    return [
        {"folder": each.path, "run": each.run, "used": each.used, "problem": each.problem}
        for each in folders
    ]


def _row(run: str, info: RunInfo, folder: str) -> Row:
    broker, scenario = info.scenario.broker, info.scenario
    return {
        "run": run,
        "scenario": info.scenario_name,
        "kafka": info.kafka,
        "cluster": info.cluster,
        "scale": float(info.scale),
        "seed": info.seed,
        "arms": list(info.arms),
        "control_arms": list(info.control_arms),
        "repeats": info.repeats,
        "partitions": info.partitions,
        "min_insync_replicas": scenario.min_insync_replicas,
        "acks": scenario.workload.acks,
        "lag_ms": float(broker.replica_lag_time_max_ms),
        "cooldown_ms": float(broker.insync_relinquish_cooldown_ms),
        "started_ms": float(info.started_ms),
        "finished_ms": None if info.finished_ms is None else float(info.finished_ms),
        "finished": info.finished,
        "folder": folder,
    }
