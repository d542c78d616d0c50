"""Whose a thing is that may outlive the harness that made it: a mount, a container, a group.

A process id alone comes again; with the time at which the process started it does not.
"""

import os
import re
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_NAMED: Final = re.compile(r"(\d+)-(\d+)")
_START_TIME: Final = 19  # field of /proc/PID/stat after the command's name, in clock ticks


def mine() -> str:
    """Return the name of this process as an owner, "<pid>-<start time in clock ticks>"."""
    return f"{os.getpid()}-{_started(os.getpid())}"


def is_gone(owner: str) -> bool:
    """Whether the process that bore this name has ended; False if it is no such name."""
    named = _NAMED.fullmatch(owner)
    return named is not None and _started(int(named[1])) != int(named[2])


def _started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since the boot; None if there is none."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(")")[2].split()[_START_TIME])
