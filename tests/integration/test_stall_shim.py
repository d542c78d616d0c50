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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import run_python
from insync.errors import InsyncError
from insync.faults.support.control import ControlFile, Mode, Rule, Site
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
for line in sys.stdin:
    call, path = line.split()
    if call == "create":
        print(os.close(os.open(path, os.O_RDWR | os.O_CREAT)) or "created", flush=True)
        continue
    if call == "rename":
        print(os.rename(path, path + ".deleted") or "renamed", flush=True)
        continue
    if call == "open":
        print(os.close(os.open(path, os.O_RDONLY)) or "opened", flush=True)
        continue
    if call in ("unlink", "rmdir"):
        print(getattr(os, call)(path) or "gone", flush=True)
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

    def arm(self, site: Site = Site.READ, mode: Mode = Mode.HOLD, **more: Any) -> int:
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


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the shim."""
    return compile_shim(tmp_path_factory.mktemp("shim"))


@pytest.fixture
def caller(shim: Path, tmp_path: Path) -> Iterator[Caller]:
    """Start a process under the shim, attached and warm."""
    log = make_log(tmp_path / "data", "topic-0")
    control = ControlFile.create(tmp_path / "control", tmp_path / "data", capacity=8)
    with start_caller(shim, tmp_path / "control") as process:
        started = Caller(process, control, log, shim)
        assert started.timed("pread")[0] == "5"
        yield started


def test_a_process_under_the_shim_is_seen_as_attached(caller: Caller) -> None:
    assert caller.control.attached == 1


@pytest.mark.parametrize(
    ("site", "call"),
    [
        *((Site.READ, call) for call in ("read", "pread", "readv", "preadv")),
        *((Site.WRITE, call) for call in ("write", "pwrite", "writev", "pwritev")),
        *((Site.FSYNC, call) for call in ("fsync", "fdatasync")),
    ],
)
def test_a_call_is_stalled_until_its_rule_is_lifted(caller: Caller, site: Site, call: str) -> None:
    slot = caller.arm(site)
    begun = time.monotonic_ns()
    caller.begin(call)
    caller.await_held(slot)
    time.sleep(0.1)  # the time that it is to be held
    caller.control.lift(slot)
    assert caller.answer() in {"0", "1", "5"}
    counters = caller.control.counters(slot)
    assert (counters.calls, counters.held_now) == (1, 0)
    assert 0.1e9 <= counters.held_ns < 5e9
    assert counters.longest_ns == counters.held_ns
    assert begun < counters.first_ns < time.monotonic_ns() - counters.held_ns


def test_when_its_process_is_killed_a_call_stays_counted_as_stalled(caller: Caller) -> None:
    slot = caller.arm(Site.READ)
    caller.begin("pread")
    caller.await_held(slot)
    caller.process.kill()
    caller.process.wait(10)
    counters = caller.control.counters(slot)
    assert (counters.held_now, counters.calls, counters.held_ns) == (1, 1, 0)
    assert 0 < counters.first_ns < time.monotonic_ns()


def test_a_send_is_stalled_by_a_send_rule_and_not_by_a_read_rule(caller: Caller) -> None:
    read = caller.arm(Site.READ)
    assert caller.timed("sendfile")[0] == "5"
    caller.control.lift(read)
    send = caller.arm(Site.SEND)
    assert caller.timed("pread")[0] == "5"
    caller.begin("sendfile")
    caller.await_held(send)
    caller.control.lift(send)
    assert caller.answer() == "5"
    assert caller.control.counters(read).calls == 0
    assert caller.control.counters(send).calls == 1


@pytest.mark.parametrize("site", [Site.READ, Site.SEND])
def test_a_write_is_stalled_by_a_write_rule_alone(caller: Caller, site: Site) -> None:
    slot = caller.arm(site)
    assert caller.timed("pwrite")[0] == "5"
    assert caller.control.counters(slot).calls == 0


@pytest.mark.parametrize(("folder", "calls"), [("topic-0", 1), ("topic-1", 0)])
def test_an_fsync_of_the_partitions_own_folder_is_stalled_too(
    caller: Caller, folder: str, calls: int
) -> None:
    make_log(caller.log.parents[1], folder)
    slot = caller.arm(Site.FSYNC, Mode.DELAY, delay_ns=SECOND_NS // 100)
    assert caller.timed("fsync", caller.log.parents[1] / folder)[0] == "0"
    assert caller.control.counters(slot).calls == calls


def test_neither_an_fsync_of_an_index_nor_a_write_is_stalled_by_an_fsync_rule(
    caller: Caller,
) -> None:
    slot = caller.arm(Site.FSYNC)
    assert caller.timed("fsync", make_log(caller.log.parents[1], "topic-0", "0.index"))[0] == "0"
    assert caller.timed("pwrite")[0] == "5"
    assert caller.control.counters(slot).calls == 0


def test_a_new_segments_file_is_created_when_its_rule_is_lifted(caller: Caller) -> None:
    new = caller.log.with_name("00000000000000000100.log")
    slot = caller.arm(Site.CREATE)
    assert caller.timed("pwrite")[0] == "5"
    caller.begin("create", new)
    caller.await_held(slot)
    assert not new.exists()
    caller.control.lift(slot)
    assert caller.answer() == "created"
    assert new.exists()
    assert caller.control.counters(slot).calls == 1


@pytest.mark.parametrize(
    ("folder", "name"), [("topic-1", "1.log"), ("topic-0", "1.index"), ("topic-0", "1.snapshot")]
)
def test_other_files_are_created_meanwhile(caller: Caller, folder: str, name: str) -> None:
    (caller.log.parents[1] / folder).mkdir(exist_ok=True)
    slot = caller.arm(Site.CREATE)
    assert caller.timed("create", caller.log.parents[1] / folder / name)[0] == "created"
    assert caller.control.counters(slot).calls == 0


@pytest.mark.parametrize(
    ("name", "calls"), [("0.index", 1), ("0.timeindex", 1), ("0.txnindex", 0), ("0.log", 0)]
)
def test_the_size_of_an_index_is_set_when_its_rule_allows(
    caller: Caller, name: str, calls: int
) -> None:
    index = make_log(caller.log.parents[1], "topic-0", name)
    slot = caller.arm(
        Site.TRUNCATE, Mode.DELAY, delay_ns=SECOND_NS // 100, files="*.index *.timeindex"
    )
    assert caller.timed("ftruncate", index)[0] == "0"
    assert index.stat().st_size == 5
    assert caller.control.counters(slot).calls == calls


def test_a_segment_has_its_new_name_when_its_rule_is_lifted(caller: Caller) -> None:
    slot = caller.arm(Site.RENAME)
    index = make_log(caller.log.parents[1], "topic-0", "0.index")
    assert caller.timed("rename", index)[0] == "renamed", "only the log is stalled"
    caller.begin("rename")
    caller.await_held(slot)
    assert caller.log.exists()
    caller.control.lift(slot)
    assert caller.answer() == "renamed"
    assert not caller.log.exists()
    assert caller.control.counters(slot).calls == 1


def test_a_log_is_cut_when_its_rule_is_lifted(caller: Caller) -> None:
    slot = caller.arm(Site.TRUNCATE)
    assert (
        caller.timed("ftruncate", make_log(caller.log.parent.parent, "topic-0", "0.index"))[0]
        == "0"
    )
    caller.begin("ftruncate")
    caller.await_held(slot)
    assert caller.log.stat().st_size == 4096
    caller.control.lift(slot)
    assert caller.answer() == "0"
    assert caller.log.stat().st_size == 5


@pytest.mark.parametrize(
    ("site", "call", "files", "held"),
    [
        (Site.OPEN, "open", ".", "."),
        (Site.OPEN, "open", "*", "leader-epoch-checkpoint"),
        (Site.OPEN, "open", "*.snapshot *.swap", "00000000000000000007.snapshot"),
        (Site.CREATE, "create", "leader-*.tmp", "leader-epoch-checkpoint.tmp"),
        (Site.FSYNC, "fsync", "*.snapshot", "00000000000000000007.snapshot"),
        (Site.RENAME, "rename", ".", "."),
        (Site.RENAME, "rename", "leader-epoch-checkpoint.tmp", "leader-epoch-checkpoint.tmp"),
        (Site.UNLINK, "unlink", "*.timeindex.deleted", "0.timeindex.deleted"),
        (Site.UNLINK, "rmdir", ".", "."),
    ],
)
def test_a_rule_is_for_the_files_that_it_names(
    caller: Caller, site: Site, call: str, files: str, held: str
) -> None:
    folder = caller.log.parent
    path = folder if held == "." else make_log(folder.parent, "topic-0", held)
    if call == "create":
        path.unlink()
    if call == "rmdir":
        caller.log.unlink()
    slot = caller.arm(site, files=files)
    if files != "*":
        make_log(folder.parent, "topic-1", held if held != "." else "0.log")
        other = folder.with_name("topic-1") / ("" if held == "." else held)
        if call == "rmdir":
            (other / "0.log").unlink()
        assert caller.timed(call, other)[0], "another partition's"
    caller.begin(call, path)
    caller.await_held(slot)
    caller.control.lift(slot)
    assert "errno" not in caller.answer()
    assert caller.control.counters(slot).calls == 1


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ("*.snapshot", "0.log"),
        ("*.snap", "0.snapshot"),
        ("snapshot", "0.snapshot"),
        ("*.log", "."),
        (".", "0.log"),
    ],
)
def test_a_file_that_fits_no_pattern_is_not_touched(caller: Caller, files: str, name: str) -> None:
    folder = caller.log.parent
    path = folder if name == "." else make_log(folder.parent, "topic-0", name)
    slot = caller.arm(Site.OPEN, files=files)
    assert caller.timed("open", path)[0] == "opened"
    assert caller.control.counters(slot).calls == 0


@pytest.mark.parametrize("state", ["delete", "future", "stray"])
def test_a_folder_that_kafka_has_renamed_is_still_its_partitions(
    caller: Caller, state: str
) -> None:
    old = make_log(caller.log.parents[1], f"topic-0.0123456789abcdef-{state}")
    other = make_log(caller.log.parents[1], f"topic-1.0123456789abcdef-{state}")
    slot = caller.arm(Site.UNLINK)
    assert caller.timed("unlink", other)[0] == "gone"
    caller.begin("unlink", old)
    caller.await_held(slot)
    caller.control.lift(slot)
    assert caller.answer() == "gone"
    assert not old.exists()


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
    slot = caller.arm(deadline_ns=time.monotonic_ns() + SECOND_NS // 4)
    assert 0.1 < caller.timed("pread")[1] < 5
    assert caller.timed("pread")[1] < 0.1
    assert caller.control.counters(slot).calls == 1


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("topic-1", "0.log"),
        ("topic-00", "0.log"),
        ("another-topic-0", "0.log"),
        ("topic-0", "0.index"),
        ("topic-0/deeper", "0.log"),
    ],
)
def test_other_files_are_not_touched(caller: Caller, folder: str, name: str) -> None:
    other = make_log(caller.log.parents[1], folder, name)
    slot = caller.arm()
    assert caller.timed("pread", other)[0] == "5"
    assert caller.control.counters(slot).calls == 0


def test_the_same_folder_outside_the_data_folder_is_not_touched(caller: Caller) -> None:
    beside = make_log(caller.log.parents[1].with_name("data-too"), "topic-0")
    slot = caller.arm()
    assert caller.timed("pread", beside)[0] == "5"
    assert caller.control.counters(slot).calls == 0


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
        Rule(site=Site.READ, mode=Mode.DELAY, target=f"topic-{number}", deadline_ns=deadline,
             delay_ns=SECOND_NS // 10)
        for number in range(count)
    ]  # fmt: skip
    begun = time.monotonic()
    slots = control.arm_all(rules)
    assert time.monotonic() - begun < 1
    last = make_log(tmp_path / "data", f"topic-{count - 1}")
    with start_caller(caller.shim, tmp_path / "many") as process:
        other = Caller(process, control, last, caller.shim)
        assert other.timed("pread")[1] >= 0.1
    assert [slot for slot in slots if control.counters(slot).calls] == [slots[-1]]


def test_rules_that_do_not_fit_are_refused_together(tmp_path: Path) -> None:
    control = ControlFile.create(tmp_path / "control", tmp_path, 1)
    rule = Rule(site=Site.READ, mode=Mode.HOLD, target="topic-0", deadline_ns=0)
    with pytest.raises(InsyncError, match="cannot arm stall rule 1 of 1 for topic-0"):
        control.arm_all([rule, rule])
    assert control.header.armed == 0


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
