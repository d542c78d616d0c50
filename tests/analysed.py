"""Analyses made-up folders, and a recorded one, once for all processes."""

import fcntl
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from commands import Done, analyse
from insync.events.schema import VERDICT
from unit.matrix_folder import row, write_matrix, write_plan
from unit.pipeline.odd_runs import NAMES, write_odd_runs
from unit.run_folder import write_run

ODD: Final = " {1} [x] 50% ü"
"""Ends the folders' names: an analysis must cope with such names."""
MATRIX: Final = "matrix"
OTHERS: Final = "others"
"""The folder of another matrix: odd runs, and a recorded one."""
RECORDED_RUN: Final = f"{OTHERS}/4.3.1/kip-501"
_RECORDED: Final = Path(__file__).parent / "data" / "recorded"


def analysed_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Any]
) -> tuple[Path, Any]:
    """Return a folder that `make` fills and analyses, and what it returned, which is JSON.

    The process that comes first calls it, the others wait. Never change the folder.
    """
    base = factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder, result = shared / f"{name}{ODD}", shared / f"{name}.json"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            folder.mkdir()
            result.write_text(json.dumps(make(folder)))
    return folder, json.loads(result.read_text())


def analysed_run(factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """Return the made-up run, which a process of its own analysed, and what that printed."""

    def make(folder: Path) -> list[Any]:
        done = analyse(write_run(folder))
        return [done.returncode, done.stdout, done.stderr]

    folder, done = analysed_once(factory, "made-up", make)
    return folder, Done([], *done)


def analysed_together(
    factory: pytest.TempPathFactory, judge_matrices: Callable[..., object]
) -> Path:
    """Return the folder of both matrices, which one pass analysed.

    Most of an analysis is planning, which does not depend on the number of folders. The session
    that its tests share analyses them: a new one has to start and warm up.
    """

    def make(folder: Path) -> None:
        matrix, others, recorded = (folder / each for each in (MATRIX, OTHERS, RECORDED_RUN))
        matrix.mkdir()
        unpack(recorded.name, recorded.parent)
        (recorded / VERDICT).unlink()
        write_odd_runs(recorded.parent)
        write_plan(others, *(row(name) for name in (*NAMES, recorded.name)))
        judge_matrices(write_matrix(matrix), others)

    folder, _ = analysed_once(factory, "together", make)
    return folder


def unpack(name: str, into: Path) -> Path:
    """Unpack a recording; return its folder, with its results."""
    with tarfile.open(_RECORDED / f"{name}.tar.xz") as archive:
        archive.extractall(into, filter="data")
    return into / name
