"""A small process under the stall shim, which makes one call after the other as it is told."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from insync.faults.support.control import ControlFile, Mode, Rule, Site
from insync.faults.support.shim import preload
from waiting import wait_for

NATIVE = (
    Path(__file__).parents[1] / "pyharness" / "insync" / "faults" / "support" / "native" / "stall.c"
)
SECOND_NS = 1_000_000_000
CALLER = r"""
import os, signal, socket, sys, time
signal.signal(signal.SIGUSR1, lambda *_: None)
left, right = socket.socketpair()
files = {}
for line in sys.stdin:
    call, path = line.split()
    if call == "create":
        print(os.close(os.open(path, os.O_RDWR | os.O_CREAT)) or "created", flush=True)
        continue
    if call == "rename":
        print(os.rename(path, path + ".deleted") or "renamed", flush=True)
        continue
    mode = os.O_RDONLY if os.path.isdir(path) else os.O_RDWR
    fd = files.setdefault(path, os.open(path, mode)) if path not in files else files[path]
    try:
        if call == "pread":
            got = len(os.pread(fd, 5, 0))
        elif call == "preadv":
            got = os.preadv(fd, [bytearray(5)], 0)
        elif call == "read":
            got = len(os.read(fd, 1))
        elif call == "readv":
            got = os.readv(fd, [bytearray(1)])
        elif call == "sendfile":
            got = os.sendfile(left.fileno(), fd, 0, 5)
        elif call == "write":
            got = os.write(fd, b"12345")
        elif call == "pwrite":
            got = os.pwrite(fd, b"12345", 0)
        elif call == "writev":
            got = os.writev(fd, [b"12", b"345"])
        elif call == "pwritev":
            got = os.pwritev(fd, [b"12", b"345"], 0)
        elif call == "fsync":
            got = os.fsync(fd) or 0
        elif call == "fdatasync":
            got = os.fdatasync(fd) or 0
        elif call == "ftruncate":
            got = os.ftruncate(fd, 5) or 0
        elif call == "clocks":
            got = f"{time.time()} {time.monotonic()}"
        elif call == "bad":
            got = os.pread(fd, 5, -1)
    except OSError as error:
        got = f"errno {error.errno}"
    print(got, flush=True)
"""


def compile_shim(folder: Path) -> Path:
    """Compile the shim into a folder, warnings as errors."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    built = folder / "libinsync_stall.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command = [compiler, *flags, "-o", str(built), str(NATIVE), "-ldl", "-pthread"]
    subprocess.run(command, check=True)
    return built


@dataclass
class Caller:
    """A process under the shim, with a log file for its calls."""

    process: "subprocess.Popen[str]"
    control: ControlFile
    log: Path
    shim: Path

    def begin(self, call: str, path: Path | None = None) -> None:
        """Let it make one call."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{call} {path or self.log}\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        """Wait for the result of the call."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def timed(self, call: str, path: Path | None = None) -> tuple[str, float]:
        """Make one call; return its result and how many seconds it took."""
        start = time.monotonic()
        self.begin(call, path)
        return self.answer(), time.monotonic() - start

    def arm(self, site: Site = Site.READ, mode: Mode = Mode.HOLD, **more: int) -> int:
        """Arm a rule for the log's partition."""
        more.setdefault("deadline_ns", time.monotonic_ns() + 30 * SECOND_NS)
        return self.control.arm(Rule(site=site, mode=mode, target="topic-0", **more))

    def await_held(self, slot: int, count: int = 1) -> None:
        """Wait until so many calls are held."""
        await_shared(lambda: self.control.counters(slot).held_now == count)


def await_shared(condition: Callable[[], bool]) -> None:
    """Wait for a condition in memory that is shared with the process under the shim."""
    wait_for(condition, bool, within_s=10, every_s=0.001)


def make_log(data: Path, folder: str, name: str = "00000000000000000000.log") -> Path:
    """Make a log file at the path that Kafka would use."""
    path = data / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 4096)
    return path


@contextmanager
def start_caller(shim: Path, control: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start the process that makes calls, under the shim."""
    process = subprocess.Popen(
        [sys.executable, "-c", CALLER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **preload(shim, control)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
