"""The cores that the threads of a process may run on, and how long they waited for one.

A thread inherits the cores of the thread that started it, so a change is repeated until no
thread is left with other cores.
"""

import os
from typing import Final

import psutil

from insync.errors import InsyncError
from insync.faults.base import await_true
from insync.faults.support.procfs import PROC

Cores = frozenset[int]

_SETTLED_WITHIN_S: Final = 30.0
_NS_PER_MS: Final = 1e6


def cores_of(pid: int) -> dict[int, Cores]:
    """Return the cores of each thread of a process; empty if there is no such process."""
    found = {}
    for thread in threads(pid):
        try:
            found[thread] = frozenset(os.sched_getaffinity(thread))
        except ProcessLookupError:
            continue
    return found


def confine(pid: int, core: int) -> None:
    """Let all threads of a process run on one core; raises InsyncError if they do not."""
    _settle(pid, {}, frozenset({core}))


def release(pid: int, before: dict[int, Cores], others: Cores) -> None:
    """Give each thread the cores that it had `before`, and new threads `others`."""
    _settle(pid, before, others)


def waited_ms(pid: int) -> dict[int, float]:
    """Return for how long each thread was ready to run without a core, since it began.

    Read by hand from schedstat, which psutil does not read.
    """
    found = {}
    for thread in threads(pid):
        try:
            fields = (PROC / str(pid) / "task" / str(thread) / "schedstat").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found[thread] = int(fields[1]) / _NS_PER_MS
    return found


def threads(pid: int) -> list[int]:
    """Return the threads of a process; none if there is no such process."""
    try:
        return [thread.id for thread in psutil.Process(pid).threads()]
    except psutil.NoSuchProcess:
        return []


def _settle(pid: int, wanted: dict[int, Cores], others: Cores) -> None:
    def misplaced() -> dict[int, Cores]:
        """Return the cores for each thread that has others."""
        return {
            thread: wanted.get(thread, others)
            for thread, cores in cores_of(pid).items()
            if cores != wanted.get(thread, others)
        }

    def settled() -> bool:
        for thread, cores in misplaced().items():
            _place(thread, cores)
        return not misplaced()

    if not await_true(settled, _SETTLED_WITHIN_S):
        raise InsyncError(f"process {pid}: its threads run on other cores than assigned")


def _place(thread: int, cores: Cores) -> None:
    try:
        os.sched_setaffinity(thread, cores)
    except ProcessLookupError:
        return
    except OSError as error:
        raise InsyncError(f"thread {thread}: cores {sorted(cores)}: {error.strerror}") from error
