"""What the kernel says of a process: whether its threads run, and how much CPU time it had."""

import os
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
TICK_MS: Final = 1000 / os.sysconf("SC_CLK_TCK")
STOPPED: Final = "T"
_STATE, _USER, _SYSTEM = 0, 11, 12  # fields of stat after the command's name


def is_stopped(pid: int, proc: Path = PROC) -> bool:
    """Whether every thread of a process is stopped; False if there is no such process."""
    try:
        threads = list((proc / str(pid) / "task").iterdir())
        return all(_fields(thread / "stat")[_STATE] == STOPPED for thread in threads)
    except (FileNotFoundError, ProcessLookupError):
        return False


def cpu_ms(pid: int, proc: Path = PROC) -> float | None:
    """Return the CPU time of all threads of a process so far; None if there is no such process."""
    try:
        fields = _fields(proc / str(pid) / "stat")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return (int(fields[_USER]) + int(fields[_SYSTEM])) * TICK_MS


def _fields(stat: Path) -> list[str]:
    """Return the fields after the name, which stands in brackets and may hold anything."""
    return stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
