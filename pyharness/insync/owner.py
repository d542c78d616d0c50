"""Name the process that owns a mount, a container or a control group that may outlive it.

A process id alone may be used again; together with the process's start time it is unique.
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
    """Whether the process with this name has ended; False if `owner` is not such a name."""
    named = _NAMED.fullmatch(owner)
    return named is not None and _started(int(named[1])) != int(named[2])


def _started(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None if it does not exist."""
    try:
        stat = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return int(stat.rpartition(")")[2].split()[_START_TIME])
