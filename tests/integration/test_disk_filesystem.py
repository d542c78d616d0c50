"""The file system under a log folder that can delay or stop calls, on a real mount.

The tests compare it, call by call, with a plain folder. Stalled calls wait, are counted and go
on. The mount is removed however the process ends.
"""

import ctypes
import mmap
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands import run_python
from insync.brokers.kafka import process
from insync.errors import InsyncError
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode, Site
from insync.faults.support.disk import mounts
from insync.faults.support.disk.passthrough import FUSE, Passthrough, unavailable
from waiting import wait_for

NO_FUSE = unavailable()
pytestmark = pytest.mark.skipif(NO_FUSE is not None, reason=str(NO_FUSE))

NAMES = ("a.log", "b.log", "a.index", "d", "d/a.log", "e", "e/b.index", "e/d")
Step = tuple[str, str, str, int]
PIDFD_GETFD = 438
"""The number of the system call, the same on every architecture; Python has no name for it."""


@contextmanager
def behind_a_gate(home: Path, *, tracked: bool = False) -> Iterator[Passthrough]:
    folder = home / "data"
    folder.mkdir(parents=True)

    def launch(command: list[str], log: Path) -> subprocess.Popen[bytes]:
        return process.start(command, log=log, folder=home, environment=os.environ)

    mount = Passthrough.mount(
        folder, home / "disk.control", 64, launch, tracked=tracked,  # type: ignore[arg-type]
    )  # fmt: skip
    try:
        yield mount
    finally:
        mount.unmount()


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Passthrough]:
    with behind_a_gate(tmp_path / "mount") as made:
        yield made


def do(root: Path, step: Step) -> object:
    call, first, second, number = step
    path, other = root / first, root / second
    calls: dict[str, Callable[[], object]] = {
        "append": lambda: _write(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, first * number),
        "replace": lambda: _write(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, second * number),
        "make": lambda: _write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ""),
        "at": lambda: _opened(path, os.O_RDWR, lambda f: os.pwrite(f, b"far away", number * 1000)),
        "read": lambda: path.read_bytes(),
        "mapped": lambda: _map(path),
        "truncate": lambda: os.truncate(path, number * 700),
        "allocate": lambda: _opened(
            path, os.O_RDWR, lambda file: os.posix_fallocate(file, 0, number * 700 + 1)
        ),
        "mkdir": lambda: path.mkdir(),
        "rmdir": lambda: path.rmdir(),
        "unlink": lambda: path.unlink(),
        "rename": lambda: os.rename(path, other),  # noqa: PTH104 - it returns nothing
        "chmod": lambda: path.chmod(0o600 + number),
        "utime": lambda: os.utime(path, ns=(number, number * 10**9)),
        "fsync": lambda: _opened(path, os.O_RDONLY, os.fsync),
        "list": lambda: _names(path),
        "deleted": lambda: _use_deleted(path),
    }
    try:
        return calls[call]()
    except OSError as error:
        return error.errno


def _opened(path: Path, flags: int, act: Callable[[int], object]) -> object:
    file = os.open(path, flags, 0o644)
    try:
        return act(file)
    finally:
        os.close(file)


def _write(path: Path, flags: int, text: str) -> object:
    return _opened(path, flags, lambda file: os.write(file, text.encode()))


def _map(path: Path) -> bytes:
    """Write through a mapping and read it back by the file, as Kafka does with its indexes."""
    with path.open("r+b") as file:
        if path.suffix == ".log" or not path.stat().st_size:
            return b""
        with mmap.mmap(file.fileno(), 0) as mapped:
            mapped[0:1] = b"m"
            mapped.flush()
    return path.read_bytes()


def _use_deleted(path: Path) -> tuple[bytes, list[str]]:
    with path.open("r+b", buffering=0) as file:
        path.unlink()
        file.write(b"still here")
        file.seek(0)
        return file.read(), _names(path.parent)


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def tree(root: Path) -> dict[str, object]:
    """Return everything below a folder: kinds, sizes, modes, times set by hand, contents."""
    seen: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        status = path.stat()
        set_by_hand = status.st_mtime_ns if status.st_mtime_ns < 10**14 else None
        content = path.read_bytes() if path.is_file() else None
        seen[str(path.relative_to(root))] = (status.st_mode, set_by_hand, content)
    return seen


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["append", "replace", "make", "at", "read", "mapped", "truncate", "allocate", "mkdir",
             "rmdir", "unlink", "rename", "chmod", "utime", "fsync", "list", "deleted"]
        ),
        st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 50),
    ),
    min_size=5, max_size=40,
)  # fmt: skip


@pytest.mark.parametrize("tracked", [False, True])
def test_files_are_as_in_a_plain_folder(tmp_path: Path, tracked: bool) -> None:
    with behind_a_gate(tmp_path / "mount", tracked=tracked) as mount:

        @settings(max_examples=150, suppress_health_check=list(HealthCheck))
        @given(STEPS)
        def compare(steps: list[Step]) -> None:
            number = len(_names(tmp_path))
            plain, mounted = tmp_path / f"plain-{number}", mount.folder / f"x-{number}"
            for root in (plain, mounted):
                (root / "d").mkdir(parents=True)
                for name in ("a.log", "a.index", "d/a.log"):
                    (root / name).write_bytes(b"something" * 300)
            for step in steps:
                assert do(mounted, step) == do(plain, step), step
            assert tree(mounted) == tree(plain)

        compare()
        shown = tree(mount.folder)
    assert tree(mount.folder) == shown, "what was written is in its place when the mount is gone"


def test_when_the_power_fails_files_are_as_they_were_flushed(tmp_path: Path) -> None:
    """Seen through the mount at once, also where the kernel had cached or mapped the file."""
    with behind_a_gate(tmp_path / "mount", tracked=True) as mount:
        log, index, new = (mount.folder / name for name in ("0.log", "0.index", "new"))
        with log.open("wb", buffering=0) as file:
            file.write(b"flushed.")
            os.fsync(file.fileno())
            file.write(b"torn")
            file.write(b"lost")
        index.write_bytes(bytes(4096))
        with index.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
            mapped.flush()  # msync
            flushed = bytes(mapped)
            mapped[:4] = b"lost"
        new.write_bytes(b"lost")
        before = index.read_bytes()
        lost = mount.fail_power()
        assert before[:4] == b"lost"
        assert log.read_bytes() == b"flushed.to"
        assert index.read_bytes() == flushed
        assert new.read_bytes() == b""
        assert (lost["files"], lost["log_bytes"], lost["torn_files"]) == (3, 6, 1)


def test_a_file_system_that_is_not_tracked_has_no_power_to_fail(mount: Passthrough) -> None:
    with pytest.raises(InsyncError, match="data: its power: "):
        mount.fail_power()


def test_a_whole_segment_is_sent_from_it(mount: Passthrough) -> None:
    """Brokers send log data by sendfile, which goes past the page cache here."""
    data = os.urandom(3_000_000)
    source, target = mount.folder / "0.log", mount.folder.parent / "out"
    source.write_bytes(data)
    with source.open("rb") as log, target.open("wb") as out:
        sent = 0
        while got := os.sendfile(out.fileno(), log.fileno(), sent, len(data)):
            sent += got
    assert target.read_bytes() == data


def test_stalled_calls_wait_are_counted_and_go_on_while_others_pass(mount: Passthrough) -> None:
    log = mount.folder / "0.log"
    log.write_bytes(b"x" * 400)
    holds = ArmedRules(mount.control, 1)
    holds.check()
    holds.arm([""], Site.READ, Mode.HOLD, planned_ms=60_000)
    with log.open("rb", buffering=0) as file, ExitStack() as readers:
        for place in range(40):
            reader = threading.Thread(target=os.pread, args=(file.fileno(), 10, place * 10))
            reader.start()
            readers.callback(reader.join)
        readers.callback(holds.lift)
        wait_for(lambda: holds.now, lambda now: now == 40)
        (mount.folder / "1.log").write_bytes(b"not held")
        assert _names(mount.folder) == ["0.log", "1.log"]
    holds.drain()
    assert holds.total.calls == 40
    assert holds.total.longest_ms > 0


def test_a_delay_makes_each_operation_longer_and_kinds_are_apart(mount: Passthrough) -> None:
    holds = ArmedRules(mount.control, 1)
    holds.arm([""], Site.FSYNC, Mode.DELAY, planned_ms=60_000, delay_ms=200)
    with (mount.folder / "0.log").open("wb", buffering=0) as file:
        file.write(b"at once")
        assert holds.total.calls == 0
        began = time.monotonic()
        os.fsync(file.fileno())
        assert time.monotonic() - began >= 0.2
    holds.lift()
    assert holds.total.calls == 1


def test_a_stall_that_is_never_lifted_ends_at_its_deadline(mount: Passthrough) -> None:
    holds = ArmedRules(mount.control, 1)
    began = time.monotonic()
    holds.arm([""], Site.WRITE, Mode.HOLD, planned_ms=-4_500)
    (mount.folder / "0.log").write_bytes(b"")
    assert 0.5 <= time.monotonic() - began < 60


def test_the_mount_goes_with_its_process_and_with_the_harness(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    harness = f"""
import os, signal, subprocess, sys
from pathlib import Path
from insync.faults.support.disk.passthrough import Passthrough
from insync.brokers.kafka import process
home = Path({str(tmp_path)!r})
start = lambda command, log: process.start(command, log=log, folder=home, environment=os.environ)
mount = Passthrough.mount(home / "data", home / "disk.control", 1, start)
print("mounted", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run_python("-c", harness).stdout == "mounted\n"
    wait_for(lambda: mounts.is_mounted(tmp_path / "data"), lambda there: not there)


def test_the_mount_goes_also_while_the_kernel_still_has_it_open(tmp_path: Path) -> None:
    """A process that is killed closes its files one after the other: until then calls hang."""
    with behind_a_gate(tmp_path) as mount:
        pid = psutil.Process().children()[-1].pid
        with copy_of_open_file(pid, FUSE):
            os.kill(pid, signal.SIGKILL)
            wait_for(lambda: mounts.is_mounted(mount.folder), lambda there: not there)


@contextmanager
def copy_of_open_file(pid: int, path: Path) -> Iterator[None]:
    """Hold a copy of what another process has opened at `path`, so that it stays open."""
    files = Path(f"/proc/{pid}/fd").iterdir()
    number = next(int(file.name) for file in files if file.readlink() == path)
    process = os.pidfd_open(pid)
    try:
        held = ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, process, number, 0)
    finally:
        os.close(process)
    if held < 0:
        pytest.skip(f"pidfd_getfd: {os.strerror(ctypes.get_errno())}")
    try:
        yield
    finally:
        os.close(held)


def test_what_a_dead_harness_left_mounted_is_swept(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("mounting a tmpfs needs root")
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name in (f"insync-{gone.pid}-1", "other"):
        (tmp_path / name).mkdir()
        mounts.run("mount", "-t", "tmpfs", name, str(tmp_path / name))
    try:
        mounts.sweep()
        assert not mounts.is_mounted(tmp_path / f"insync-{gone.pid}-1")
        assert mounts.is_mounted(tmp_path / "other")
    finally:
        mounts.unmount(tmp_path / "other")


def test_a_file_system_that_does_not_come_up_says_why(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()

    def launch(_: object, log: Path) -> subprocess.Popen[bytes]:
        command = ["sh", "-c", "echo fuse: no such luck; exit 3"]
        return process.start(command, log=log, folder=tmp_path, environment=os.environ)

    with pytest.raises(InsyncError, match="no such luck"):
        Passthrough.mount(tmp_path / "data", tmp_path / "disk.control", 1, launch)
