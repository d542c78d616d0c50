"""Measures the analysis of recorded runs, by this installation and by the sources of a checkout.

Every analysis is a process of its own, on a fresh copy of what the runs recorded. The first one of
each side is a warm-up, which fills the page cache. The results of all are compared, because a
recorded run must keep its verdict.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import insync
from insync.bench.processes import Cost, watch
from insync.bench.repeats import Spread, in_turn
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import CELLS, PLAN, is_matrix, load_matrix
from insync.events.run_info import load_run
from insync.events.schema import EVENTS, RUN, VERDICT
from insync.scratch import scratch_environment

WITHIN_S: Final = 3600.0
MISSING: Final = "missing"
"""The value of a key that one of two results lacks."""
FIGURES: Final = ("wall_s", "cpu_s", "peak_bytes")
_JOB: Final = "insync.analysis.job"

Results = Mapping[str, Any]
"""The content of each verdict.json and matrix.json, by its path."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of those that are compared: a name, and the folders of its Python sources."""

    name: str
    sources: tuple[Path, ...]

    @property
    def path(self) -> str:
        """The PYTHONPATH with which Python finds these sources first."""
        before = os.environ.get("PYTHONPATH")
        return os.pathsep.join([*map(str, self.sources), *([before] if before else [])])


@dataclass(frozen=True, slots=True)
class Measured:
    """The costs of one side's analyses."""

    side: str
    sources: Path
    costs: tuple[Cost, ...]

    def spreads(self) -> dict[str, Spread]:
        """Return the median and the range of each figure of the costs."""
        return {name: Spread.of([getattr(cost, name) for cost in self.costs]) for name in FIGURES}


@dataclass(frozen=True, slots=True)
class Difference:
    """A key whose value in an analysis of `side` is not that in the first analysis of all."""

    side: str
    key: str
    first: Any
    found: Any


@dataclass(frozen=True, slots=True)
class _Analysis:
    cost: Cost
    results: Results


def this_installation() -> Side:
    """Return the side whose sources are those of this process."""
    return Side("this", (Path(insync.__file__).absolute().parents[1],))


def checkout(folder: Path) -> Side:
    """Return the side of a checkout; InputError if `folder` is none."""
    sources = folder.absolute() / "pyharness"
    if not sources.joinpath(*_JOB.split(".")).with_suffix(".py").is_file():
        raise InputError(f"{folder}: no pyharness/insync in it, expected a checkout of insync")
    return Side("against", (sources, folder.absolute() / "bridge" / "python"))


def measure(
    folders: Sequence[Path],
    sides: Sequence[Side],
    times: int,
    tell: Callable[[str], None],
) -> tuple[list[Measured], list[Difference]]:
    """Analyse `folders` once per side as a warm-up, then `times` times in turn.

    Returns what each side took, and where results differ from those of the first analysis.
    Raises InputError if a folder holds no run, InsyncError if an analysis fails.
    """
    require_recorded(folders)
    found: dict[str, list[_Analysis]] = {}
    for side in sides:
        tell(f"{side.name}: warm-up")
        found[side.name] = [_analyse(folders, side)]
    for repeat, side in in_turn(sides, times):
        tell(f"{side.name}: {repeat + 1} of {times}")
        found[side.name].append(_analyse(folders, side))
    measured = [
        Measured(side.name, side.sources[0], tuple(each.cost for each in counted))
        for side in sides
        for _, *counted in [found[side.name]]
    ]
    results = [(name, each.results) for name, own in found.items() for each in own]
    return measured, differences(results)


def ratios(measured: Sequence[Measured]) -> dict[str, float]:
    """Return the first side's medians relative to the second's; empty with one side."""
    if len(measured) < 2:
        return {}
    one, other = (each.spreads() for each in measured)
    return {name: one[name].median / other[name].median for name in FIGURES}


def require_recorded(folders: Sequence[Path]) -> None:
    """Raise InputError unless every folder holds a run, or the only one holds a matrix."""
    for folder in folders:
        if not is_matrix(folder):
            load_run(folder)
        elif len(folders) > 1:
            raise InputError(f"{folder}: a matrix, expected no other FOLDER besides it")


def copy_recorded(folder: Path, to: Path) -> None:
    """Copy what a run or the runs of a matrix recorded, without tables and results."""
    runs = load_matrix(folder).run_folders(folder) if is_matrix(folder) else [folder]
    to.mkdir(parents=True)
    if is_matrix(folder):
        shutil.copy2(folder / PLAN, to)
    for run in runs:
        copy = to / run.relative_to(folder)
        if (run / RUN).is_file():
            copy.mkdir(parents=True, exist_ok=True)
            shutil.copy2(run / RUN, copy)
        if (run / EVENTS).is_dir():
            shutil.copytree(run / EVENTS, copy / EVENTS)


def results_of(folder: Path) -> Results:
    """Return the results in a folder and below it, by their path in it."""
    files = sorted([*folder.rglob(VERDICT), *folder.rglob(CELLS)])
    return {str(file.relative_to(folder)): json.loads(file.read_bytes()) for file in files}


def differences(results: Sequence[tuple[str, Results]]) -> list[Difference]:
    """Return where the results of a side differ from the first; each key and side once."""
    _, first = results[0]
    found: dict[tuple[str, str], Difference] = {}
    for side, other in results[1:]:
        for file in sorted(first.keys() | other.keys()):
            values = _differing(first.get(file, MISSING), other.get(file, MISSING), f"{file}:")
            for key, one, another in values:
                found.setdefault((side, key), Difference(side, key, one, another))
    return list(found.values())


def _differing(one: Any, other: Any, key: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the keys at which two JSON values differ, with both values."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in sorted(one.keys() | other.keys()):
            inside = (one.get(name, MISSING), other.get(name, MISSING))
            yield from _differing(*inside, f"{key}.{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _differing(left, right, f"{key}[{number}]")
    elif one != other:
        yield key, one, other


def _analyse(folders: Sequence[Path], side: Side) -> _Analysis:
    with TemporaryDirectory(prefix="insync-bench-") as temporary:
        place = Path(temporary)
        # A folder per copy: several runs may have the same name, such as that of a scenario.
        copies = [place / str(n) / folder.resolve().name for n, folder in enumerate(folders)]
        for folder, copy in zip(folders, copies, strict=True):
            copy_recorded(folder, copy)
        cost = _run([*map(str, copies)], side, place / "output.txt")
        results = {
            str(folder / file): content
            for folder, copy in zip(folders, copies, strict=True)
            for file, content in results_of(copy).items()
        }
        return _Analysis(cost, results)


def _run(arguments: Sequence[str], side: Side, log: Path) -> Cost:
    """Run the analysis of a side, with its output in `log`; InsyncError if it fails."""
    command = [sys.executable, "-m", _JOB, *arguments]
    with scratch_environment() as environment, log.open("wb") as output:
        try:
            cost = watch(
                command, environment={**environment, "PYTHONPATH": side.path},
                stdout=output, stderr=output, within_s=WITHIN_S,
            )  # fmt: skip
        except TimeoutError as error:
            raise InsyncError(f"bench: the analysis of {side.name} {error}") from None
    if cost.code:
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "no output")
        raise InsyncError(f"bench: the analysis of {side.name} ended with {cost.code}: {last}")
    return cost
