"""Compiles the stall shim, preloads it into a small process, and stalls its calls.

The process is driven call by call over its standard input, so each test knows
which call it has made and can wait for its answer.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import run_python
from insync.faults.support.control import ControlFile, Mode, Site, StallRule
from insync.faults.support.shim import preload
from waiting import wait_for

NATIVE = (
    Path(__file__).parents[2] / "pyharness" / "insync" / "faults" / "support" / "native" / "stall.c"
)
SECOND_NS = 1_000_000_000
CALLER = r"""
import os, signal, socket, sys, time
signal.signal(signal.SIGUSR1, lambda *_: None)
left, right = socket.socketpair()
files = {}
OF_PATHS = {
    "create": lambda path: os.close(os.open(path, os.O_RDWR | os.O_CREAT)),
    "open": lambda path: os.close(os.open(path, os.O_RDONLY)),
    "rename": lambda path: os.rename(path, path + ".deleted"),
    "unlink": os.unlink,
    "rmdir": os.rmdir,
}
OF_FILES = {
    "pread": lambda fd: len(os.pread(fd, 5, 0)),
    "preadv": lambda fd: os.preadv(fd, [bytearray(5)], 0),
    "read": lambda fd: len(os.read(fd, 1)),
    "readv": lambda fd: os.readv(fd, [bytearray(1)]),
    "sendfile": lambda fd: os.sendfile(left.fileno(), fd, 0, 5),
    "write": lambda fd: os.write(fd, b"12345"),
    "pwrite": lambda fd: os.pwrite(fd, b"12345", 0),
    "writev": lambda fd: os.writev(fd, [b"12", b"345"]),
    "pwritev": lambda fd: os.pwritev(fd, [b"12", b"345"], 0),
    "fsync": os.fsync,
    "fdatasync": os.fdatasync,
    "ftruncate": lambda fd: os.ftruncate(fd, 5),
    "clocks": lambda _: f"{time.time()} {time.monotonic()}",
    "bad": lambda fd: os.pread(fd, 5, -1),
}
for line in sys.stdin:
    call, path = line.split()
    try:
        if call in OF_PATHS:
            got = OF_PATHS[call](path)
        else:
            if path not in files:
                files[path] = os.open(path, os.O_RDONLY if os.path.isdir(path) else os.O_RDWR)
            got = OF_FILES[call](files[path])
    except OSError as error:
        got = f"errno {error.errno}"
    print(got or 0, flush=True)
"""


@dataclass
class Caller:
    """A process under the shim, with a log file for its calls."""

    process: "subprocess.Popen[str]"
    control: ControlFile
    log: Path
    shim: Path

    @property
    def data(self) -> Path:
        """The folder of all partitions."""
        return self.log.parents[1]

    def begin(self, call: str, path: Path | None = None) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{call} {path or self.log}\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def timed(self, call: str, path: Path | None = None) -> tuple[str, float]:
        start = time.monotonic()
        self.begin(call, path)
        return self.answer(), time.monotonic() - start

    def arm(self, site: Site = Site.READ, mode: Mode = Mode.HOLD, **more: Any) -> int:
        more.setdefault("deadline_ns", time.monotonic_ns() + 30 * SECOND_NS)
        more.setdefault("target", "topic-0")
        return self.control.arm(StallRule(site=site, mode=mode, **more))

    def await_held(self, slot: int) -> None:
        wait_for(lambda: self.control.counters(slot).held_now, (1).__eq__, every_s=0.001)


LOG = "topic-0/00000000000000000000.log"


def make_file(data: Path, name: str) -> Path:
    """Make a file at a path that Kafka would use, or the folder of a partition."""
    path = data / name
    if "/" not in name:
        path.mkdir(exist_ok=True)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * 4096)
    return path


@contextmanager
def start_caller(shim: Path, control: Path) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, **preload(shim, control)},
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    built = tmp_path_factory.mktemp("shim") / "libinsync_stall.so"
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command = [compiler, *flags, "-o", str(built), str(NATIVE), "-ldl", "-pthread"]
    subprocess.run(command, check=True)
    return built


@pytest.fixture
def caller(shim: Path, tmp_path: Path) -> Iterator[Caller]:
    """Start a process under the shim, attached and warm."""
    log = make_file(tmp_path / "data", LOG)
    control = ControlFile.create(tmp_path / "control", tmp_path / "data", capacity=16)
    with start_caller(shim, tmp_path / "control") as process:
        started = Caller(process, control, log, shim)
        assert started.timed("pread")[0] == "5"
        yield started


def test_a_process_under_the_shim_is_seen_as_attached(caller: Caller) -> None:
    assert caller.control.attached == 1


INDEX = "*.index *.timeindex"
SNAPSHOT = "00000000000000000007.snapshot"


@pytest.mark.parametrize(
    ("site", "call", "name", "files"),
    [
        *((Site.READ, call, LOG, "") for call in ("read", "pread", "readv", "preadv")),
        *((Site.WRITE, call, LOG, "") for call in ("write", "pwrite", "writev", "pwritev")),
        (Site.SEND, "sendfile", LOG, ""),
        *((Site.FSYNC, call, LOG, "") for call in ("fsync", "fdatasync")),
        (Site.FSYNC, "fsync", "topic-0", ""),
        (Site.FSYNC, "fsync", f"topic-0/{SNAPSHOT}", "*.snapshot"),
        (Site.CREATE, "create", "topic-0/00000000000000000100.log", ""),
        (Site.CREATE, "create", "topic-0/leader-epoch-checkpoint.tmp", "leader-*.tmp"),
        (Site.TRUNCATE, "ftruncate", LOG, ""),
        *(
            (Site.TRUNCATE, "ftruncate", f"topic-0/0.{kind}", INDEX)
            for kind in ("index", "timeindex")
        ),
        (Site.RENAME, "rename", LOG, ""),
        (Site.RENAME, "rename", "topic-0", "."),
        (Site.RENAME, "rename", "topic-0/leader-epoch-checkpoint.tmp", "leader-*.tmp"),
        (Site.OPEN, "open", "topic-0", "."),
        (Site.OPEN, "open", "topic-0/leader-epoch-checkpoint", "*"),
        (Site.OPEN, "open", f"topic-0/{SNAPSHOT}", "*.snapshot *.swap"),
        (Site.UNLINK, "unlink", "topic-0/0.timeindex.deleted", "*.timeindex.deleted"),
        (Site.UNLINK, "rmdir", "topic-0", "."),
        *(
            (Site.UNLINK, "unlink", f"topic-0.0123456789abcdef-{state}/0.log", "")
            for state in ("delete", "future", "stray")
        ),
    ],
)
def test_a_call_is_stalled_until_its_rule_is_lifted(
    caller: Caller, site: Site, call: str, name: str, files: str
) -> None:
    file = caller.data / name if call == "create" else make_file(caller.data, name)
    if call == "rmdir":
        caller.log.unlink()
    slot = caller.arm(site, files=files)
    begun = time.monotonic_ns()
    caller.begin(call, file)
    caller.await_held(slot)
    time.sleep(0.1)  # the time that it is to be held
    assert file.exists() == (call != "create"), "nothing is done yet"
    assert call != "ftruncate" or file.stat().st_size == 4096
    caller.control.lift(slot)
    assert "errno" not in caller.answer()
    assert file.exists() == (call not in {"rename", "unlink", "rmdir"})
    assert call != "ftruncate" or file.stat().st_size == 5
    counters = caller.control.counters(slot)
    assert (counters.calls, counters.held_now) == (1, 0)
    assert 0.1e9 <= counters.held_ns < 60e9
    assert counters.longest_ns == counters.held_ns
    assert begun < counters.first_ns < time.monotonic_ns() - counters.held_ns


@pytest.mark.parametrize(
    ("site", "call", "name", "files"),
    [
        (Site.READ, "sendfile", LOG, ""),
        (Site.SEND, "pread", LOG, ""),
        *((site, "pwrite", LOG, "") for site in (Site.READ, Site.SEND, Site.FSYNC, Site.CREATE)),
        *((Site.FSYNC, "fsync", name, "") for name in ("topic-1", "topic-0/0.index")),
        *(
            (Site.CREATE, "create", name, "")
            for name in ("topic-1/1.log", "topic-0/1.index", "topic-0/1.snapshot")
        ),
        (Site.TRUNCATE, "ftruncate", "topic-0/0.index", ""),
        *((Site.TRUNCATE, "ftruncate", name, INDEX) for name in ("topic-0/0.txnindex", LOG)),
        (Site.RENAME, "rename", "topic-0/0.index", ""),
        (Site.RENAME, "rename", "topic-1", "."),
        (Site.UNLINK, "rmdir", "topic-1", "."),
        (Site.UNLINK, "unlink", "topic-1.0123456789abcdef-delete/0.log", ""),
        (Site.OPEN, "open", "topic-1/0.snapshot", "*.snapshot"),
        (Site.OPEN, "open", LOG, "*.snapshot"),
        (Site.OPEN, "open", "topic-0/0.snapshot", "*.snap"),
        (Site.OPEN, "open", "topic-0/0.snapshot", "snapshot"),
        (Site.OPEN, "open", "topic-0", "*.log"),
        (Site.OPEN, "open", LOG, "."),
        *(
            (Site.READ, "pread", name, "")
            for name in (
                "topic-1/0.log", "topic-00/0.log", "another-topic-0/0.log", "topic-0/0.index",
                "topic-0/deeper/0.log", "../data-too/topic-0/0.log",
            )
        ),
    ],
)  # fmt: skip
def test_other_calls_and_other_files_are_not_stalled(
    caller: Caller, site: Site, call: str, name: str, files: str
) -> None:
    file = make_file(caller.data, name)
    if call == "create":
        file.unlink()
    slot = caller.arm(site, files=files)
    for each in Site:  # the shim looks no further if no rule at all is for a call's site
        caller.arm(each, target="elsewhere-0")
    assert "errno" not in caller.timed(call, file)[0]
    assert caller.control.counters(slot).calls == 0


def test_when_its_process_is_killed_a_call_stays_counted_as_stalled(caller: Caller) -> None:
    slot = caller.arm(Site.READ)
    caller.begin("pread")
    caller.await_held(slot)
    caller.process.kill()
    caller.process.wait(10)
    counters = caller.control.counters(slot)
    assert (counters.held_now, counters.calls, counters.held_ns) == (1, 1, 0)
    assert 0 < counters.first_ns < time.monotonic_ns()


def test_a_delay_takes_its_time_per_call_and_counts_exactly(caller: Caller) -> None:
    slot = caller.arm(mode=Mode.DELAY, delay_ns=SECOND_NS // 20)
    taken = [caller.timed("pread")[1] for _ in range(4)]
    counters = caller.control.counters(slot)
    assert min(taken) >= 0.05
    assert counters.calls == 4
    assert 4 * 0.05e9 <= counters.held_ns <= sum(taken) * 1e9
    assert 0.05e9 <= counters.longest_ns <= max(taken) * 1e9


def test_a_call_fails_until_its_rule_is_lifted(caller: Caller) -> None:
    slot = caller.arm(mode=Mode.FAIL)
    begun = time.monotonic_ns()
    assert [caller.timed(call)[0] for call in ("pread", "read", "readv")] == ["errno 5"] * 3
    assert caller.timed("pwrite")[0] == "5", "only reads fail"
    caller.control.lift(slot)
    assert caller.timed("pread")[0] == "5"
    counters = caller.control.counters(slot)
    assert (counters.calls, counters.held_now, counters.held_ns) == (3, 0, 0)
    assert begun < counters.first_ns < time.monotonic_ns()


def test_a_rule_that_lets_calls_fail_ends_at_its_deadline(caller: Caller) -> None:
    slot = caller.arm(mode=Mode.FAIL, deadline_ns=time.monotonic_ns())
    assert caller.timed("pread")[0] == "5"
    assert caller.control.counters(slot).calls == 0


def test_a_deadline_releases_calls_of_a_rule_that_is_never_lifted(caller: Caller) -> None:
    deadline = time.monotonic_ns() + SECOND_NS
    slot = caller.arm(deadline_ns=deadline)
    caller.timed("pread")
    assert time.monotonic_ns() >= deadline
    caller.timed("pread")
    assert caller.control.counters(slot).calls == 1, "the second one is not stalled"


def test_a_signal_does_not_cut_a_stalled_call_short(caller: Caller) -> None:
    slot = caller.arm()
    caller.begin("pread")
    caller.await_held(slot)
    for _ in range(5):
        caller.process.send_signal(signal.SIGUSR1)
    time.sleep(0.05)  # the time in which it would come back
    assert caller.control.counters(slot).held_now == 1
    caller.control.lift(slot)
    assert caller.answer() == "5"


def test_a_stalled_call_keeps_the_errno_of_the_real_one(caller: Caller) -> None:
    caller.arm(mode=Mode.DELAY, delay_ns=SECOND_NS // 100)
    assert caller.timed("bad")[0] == "errno 22"


@pytest.mark.parametrize("ahead_s", [100.25, -100.25])
def test_the_time_of_day_is_shown_shifted_and_the_monotonic_clock_is_not(
    caller: Caller, ahead_s: float
) -> None:
    def ahead() -> tuple[float, float]:
        wall, monotonic = caller.timed("clocks")[0].split()
        return float(wall) - time.time(), float(monotonic) - time.monotonic()

    assert ahead() == pytest.approx((0, 0), abs=5)
    assert caller.control.shifted == 0
    caller.control.show_ahead(round(ahead_s * SECOND_NS))
    assert ahead() == pytest.approx((ahead_s, 0), abs=5)
    assert caller.control.shifted >= 1
    caller.control.show_ahead(0)
    assert ahead() == pytest.approx((0, 0), abs=5)


def test_one_of_ten_thousand_rules_stalls_its_call_and_they_are_armed_at_once(
    caller: Caller, tmp_path: Path
) -> None:
    count = 10_000
    control = ControlFile.create(tmp_path / "many", tmp_path / "data", count)
    deadline = time.monotonic_ns() + 30 * SECOND_NS
    rules = [
        StallRule(site=Site.READ, mode=Mode.DELAY, target=f"topic-{number}", deadline_ns=deadline,
             delay_ns=SECOND_NS // 10)
        for number in range(count)
    ]  # fmt: skip
    begun = time.process_time()
    slots = control.arm_all(rules)
    assert time.process_time() - begun < 1
    last = make_file(tmp_path / "data", f"topic-{count - 1}/0.log")
    with start_caller(caller.shim, tmp_path / "many") as process:
        other = Caller(process, control, last, caller.shim)
        assert other.timed("pread")[1] >= 0.1
    assert [slot for slot in slots if control.counters(slot).calls] == [slots[-1]]


def test_two_rules_stall_a_call_in_turn(caller: Caller) -> None:
    first, second = caller.arm(), caller.arm()
    caller.begin("pread")
    caller.await_held(first)
    caller.control.lift(first)
    caller.await_held(second)
    caller.control.lift(second)
    assert caller.answer() == "5"


@pytest.mark.parametrize("content", [b"", b"\0" * 2048])
def test_a_bad_control_file_leaves_the_process_alone_and_is_named(
    shim: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "control").write_bytes(content)
    environment = {**os.environ, **preload(shim, tmp_path / "control")}
    done = run_python("-c", "print(1)", env=environment)
    assert done.returncode == 0
    assert done.stdout == "1\n"
    assert "insync stall shim: inactive" in done.stderr
