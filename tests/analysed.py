"""Analyses a made-up folder once for all processes of a test run."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from commands import Done, analyse
from unit.run_folder import write_run

ODD: Final = " {1} [x] 50% ü"
"""Ends the folders' names: an analysis must cope with such names."""


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
