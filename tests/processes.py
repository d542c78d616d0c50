"""Processes that tests start and end: harnesses, busy ones, JVMs with a bridge."""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import psutil

from waiting import wait_for

ROOT = Path(__file__).resolve().parents[1]


def gone(pid: int) -> bool:
    """Whether a process has ended, also if its parent has not waited for it."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def end(run: subprocess.Popen[bytes], number: signal.Signals, least: int) -> list[psutil.Process]:
    """End a process that runs at least so many others by a signal; return those that outlive it."""
    started = psutil.Process(run.pid).children(recursive=True)
    assert len(started) >= least
    run.send_signal(number)
    run.wait(120)
    return list(psutil.wait_procs(started, timeout=60)[1])


@contextmanager
def harness(script: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """Run a script that starts processes and prints their ids on its first line."""
    command = [sys.executable, "-c", script, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, [int(pid) for pid in process.stdout.readline().split()]


@contextmanager
def busy_python(script: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a script that never rests; it has used CPU time when the block begins."""
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        try:
            times = psutil.Process(process.pid).cpu_times
            wait_for(lambda: sum(times()[:2]), lambda seconds: seconds > 0.05)
            yield process
        finally:
            process.kill()


def class_path(file: Path, task: str, *needed: Path) -> str:
    """Return the class path that a Gradle task writes; runs the task if a file is missing."""
    if not all(each.is_file() for each in (file, *needed)):
        subprocess.run(["gradle", "-q", "--no-daemon", task], cwd=ROOT, check=True)
    return file.read_text()


@contextmanager
def jvm_with_bridge(
    arguments: Sequence[str], connection_file: Path, log: IO[str] | None = None
) -> Iterator[None]:
    """Run a JVM until the block is left; it has written its connection file when that begins.

    The program must end when its standard input ends.
    """
    java = shutil.which("java")
    assert java is not None
    command = [java, *arguments]
    jvm = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log)
    try:
        wait_for(lambda: connection_file.exists() or jvm.poll() is not None, bool, within_s=120)
        assert connection_file.exists(), f"the JVM ended with {jvm.poll()} at its start"
        yield
    finally:
        assert jvm.stdin is not None
        jvm.stdin.close()
        jvm.wait(10)
