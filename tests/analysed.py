"""Analyses a made-up folder once for all processes of a test run."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from commands import Done, analyse

ODD: Final = " {1} [x] 50% ü"
"""Ends the folders' names: an analysis must cope with such names."""


def analysed_once(
    factory: pytest.TempPathFactory, name: str, write: Callable[[Path], Path]
) -> tuple[Path, Done]:
    """Return the folder that `write` makes, and what its analysis printed; never change the folder.

    The process that comes first analyses it, as the commands do; the others wait for it.
    """
    base = factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder, result = shared / f"{name}{ODD}", shared / f"{name}.json"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            folder.mkdir()
            done = analyse(write(folder))
            result.write_text(json.dumps([done.returncode, done.stdout, done.stderr]))
    return folder, Done([], *json.loads(result.read_text()))
