"""Measures a command: its time, and the CPU time and peak memory of all of its processes."""

from __future__ import annotations

import ctypes
import math
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import psutil

from insync.brokers.kafka.process import tied

_STEP_S: Final = 0.02
_STOP_S: Final = 10.0
_LOOK_EVERY: Final = 20
"""Memory is looked at once in so many steps: finding the processes takes some milliseconds."""
_ADOPT_ORPHANS: Final = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took, from its start until the last of its processes had ended.

    `peak_bytes` is the largest sum, over the processes that were alive at one time, of the most
    memory that each had until then (the kernel's VmHWM). It is never less than the kernel's figure
    for the largest of them. Processes of less than half a second are not added: those that a JVM
    starts for a moment, such as chmod, share its memory until they run their own program.
    """

    code: int
    wall_s: float
    cpu_s: float
    peak_bytes: int


def watch(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    stdout: IO[bytes],
    stderr: IO[bytes],
    within_s: float,
) -> Cost:
    """Run a command to its end and return what it took.

    It ends with this process. Processes that it leaves behind, such as a JVM that is still exiting,
    are waited for and count. Raises TimeoutError if that takes longer than `within_s` seconds; all
    of them are then ended.
    """
    with _adopting_orphans():
        began = time.monotonic()
        process = subprocess.Popen(
            tied(command), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            env=environment, start_new_session=True,
        )  # fmt: skip
        try:
            return _until_all_ended(process, began, within_s)
        except BaseException:
            _end(process)
            raise


def _until_all_ended(process: subprocess.Popen[bytes], began: float, within_s: float) -> Cost:
    cpu_s, peak, steps = 0.0, 0, 0
    seen: set[int] = set()
    while True:
        try:
            pid, status, used = os.wait4(-process.pid, os.WNOHANG)
        except ChildProcessError:
            return Cost(process.returncode, time.monotonic() - began, cpu_s, peak)
        if pid:
            cpu_s += used.ru_utime + used.ru_stime
            peak = max(peak, used.ru_maxrss * 1024)
            if pid == process.pid:
                process.returncode = os.waitstatus_to_exitcode(status)
            continue
        if time.monotonic() - began > within_s:
            raise TimeoutError(f"took more than {within_s:.0f} s")
        if steps % _LOOK_EVERY == 0:
            alive = _tree(process.pid)
            peak = max(peak, sum(_peak_of(each) for each in alive & seen))
            seen = alive
        steps += 1
        time.sleep(_STEP_S)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End all processes of a command; they have some seconds to remove their scratch files."""
    for number, within_s in ((signal.SIGTERM, _STOP_S), (signal.SIGKILL, math.inf)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        process.returncode = -number
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            try:
                if not os.waitpid(-process.pid, os.WNOHANG)[0]:
                    time.sleep(_STEP_S)
            except ChildProcessError:
                return


def _tree(pid: int) -> set[int]:
    """Return a process and all below it; none if it has ended."""
    try:
        first = psutil.Process(pid)
        return {pid, *(each.pid for each in first.children(recursive=True))}
    except psutil.NoSuchProcess:
        return set()


def _peak_of(pid: int) -> int:
    """Return a process's VmHWM in bytes; 0 if it has ended. psutil does not have it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    lines = (line.split() for line in status.splitlines())
    return next((int(words[1]) * 1024 for words in lines if words[0] == "VmHWM:"), 0)


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Be the parent of processes whose own parent ends inside the block, so as to wait for them."""
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_ADOPT_ORPHANS, 0, 0, 0, 0)
