"""Finds the run folders in the named folders, and the problems of the others.

A named folder is a run folder, or contains run folders up to three levels down (as a matrix does).
Of two copies of one run the finished one is used, else the first by name; the other one is listed
as a problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
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


def look(hadoop: Hadoop, named: Sequence[str]) -> list[Folder]:
    """Return every run folder in the named folders, and the named folders without any."""
    found = [folder for path in named for folder in _within(hadoop, path)]
    return _without_copies(found)


def of_run(path: str, info: RunInfo, *, has_events: bool) -> Folder:
    """Return the folder of a run that was loaded."""
    problem = None
    if not has_events:
        problem = f"no {EVENTS}: the run recorded nothing"
    elif not info.finished:
        problem = "interrupted: run.json has no finished_ms"
    return Folder(path, info, run_name(info), problem, has_events)


def _within(hadoop: Hadoop, path: str) -> Iterator[Folder]:
    path = hadoop.qualified(path)
    if not hadoop.exists(path):
        yield Folder(path, problem="no such folder")
        return
    below = [_run_files(hadoop, path, level) for level in range(_LEVELS + 1)]
    files = [file for level in below for file in level]
    if not files:
        what = "holds no run" if hadoop.children(path) else "is empty"
        yield Folder(path, problem=f"{what}: no {RUN}, in it or up to {_LEVELS} folders down")
    for file in files:
        yield _load(hadoop, file)
    yield from _without_runs(hadoop, path, files)


def _without_runs(hadoop: Hadoop, path: str, files: Sequence[str]) -> Iterator[Folder]:
    """Yield the subfolders without a run, unless `path` is the folder of a run or a matrix."""
    if any(hadoop.exists(f"{path}/{own}") for own in (RUN, PLAN, MARK)):
        return
    for child in hadoop.folders(path):
        if child.startswith(".") or hadoop.exists(f"{path}/{child}/{MARK}"):
            continue
        if not any(file.startswith(f"{path}/{child}/") for file in files):
            yield Folder(f"{path}/{child}", problem=f"holds no run: no {RUN}")


def _run_files(hadoop: Hadoop, path: str, level: int) -> list[str]:
    return hadoop.matching(f"{paths.literal(path)}{'/*' * level}/{RUN}")


def _load(hadoop: Hadoop, file: str) -> Folder:
    path = file.removesuffix(f"/{RUN}")
    try:
        info = RunInfo.model_validate_json(hadoop.read(file))
    except ValidationError as error:
        return Folder(path, problem=f"{RUN}: {first_problem(error)}")
    return of_run(path, info, has_events=hadoop.exists(f"{path}/{EVENTS}"))


def _without_copies(found: Sequence[Folder]) -> list[Folder]:
    """Keep one folder per run; the problem of the others names the folder that is used."""
    kept: dict[str, str] = {}
    for folder in sorted(found, key=_preference):
        if folder.run is not None:
            kept.setdefault(folder.run, folder.path)
    told = set()
    result = []
    for folder in found:
        if folder.run is None or (kept[folder.run] == folder.path and folder.run not in told):
            told.add(folder.run)
            result.append(folder)
        else:
            other = f"a copy of {kept[folder.run]}: the same run"
            result.append(replace(folder, run=None, problem=other))
    return result


def _preference(folder: Folder) -> tuple[bool, bool, str]:
    finished = folder.info is not None and folder.info.finished
    return (not finished, not folder.has_events, folder.path)
