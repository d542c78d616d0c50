"""Reads from /proc whether all threads of a process are stopped, and its CPU time."""

from pathlib import Path
from typing import Final

import psutil

PROC: Final = Path("/proc")
STOPPED: Final = "T"


def is_stopped(pid: int, proc: Path = PROC) -> bool:
    """Whether every thread of a process is stopped; False if there is no such process.

    Read by hand: psutil knows the state of the first thread only.
    """
    try:
        threads = list((proc / str(pid) / "task").iterdir())
        return all(_state(thread / "stat") == STOPPED for thread in threads)
    except (FileNotFoundError, ProcessLookupError):
        return False


def cpu_ms(pid: int) -> float | None:
    """Return the CPU time of all threads of a process so far; None if there is no such process."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return None
    return float(times.user + times.system) * 1000


def _state(stat: Path) -> str:
    """Return the field after the command's name, which is in brackets and may hold anything."""
    return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
