"""A volume that fills up or turns read-only under a process, and what ends with the fault."""

import errno
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.support.disk import broken, mounts, volume
from insync.faults.support.disk.broken import FULL, READ_ONLY, Way
from insync.faults.support.disk.volume import Volume
from waiting import wait_for

NO_VOLUME = volume.unavailable()
MEBIBYTE = 1 << 20
needs_volume = pytest.mark.skipif(NO_VOLUME is not None, reason=str(NO_VOLUME))

WRITER = """
import os, sys
file = os.open(sys.argv[1] + "/0.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
os.write(file, b"x" * 100)
print("ready", flush=True)
if sys.argv[2] == "stubborn":
    sys.stdin.read()
while True:
    os.write(file, b"x" * 100)
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Volume]:
    monkeypatch.setattr(broken, "ENDS_WITHIN_S", 0.1)
    (tmp_path / "1" / "data").mkdir(parents=True)
    made = Volume.make(tmp_path / "1" / "data", tmp_path, 16 * MEBIBYTE)
    yield made
    made.remove()
    assert not mounts.is_mounted(tmp_path / "1" / "data")
    assert not list(tmp_path.glob("*.img"))


class Writer:
    """A process that writes until its disk refuses, unless it waits for its input first."""

    def __init__(self, folder: Path, manner: str) -> None:
        self.starts = 0
        self._command = [sys.executable, "-c", WRITER, str(folder), manner]
        self.start()

    def start(self, _: int = 1) -> None:
        self.starts += 1
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"ready\n"

    def kill(self, _: int = 1) -> None:
        self.process.kill()
        self.process.wait(10)


Begin = Callable[[str], Writer]


@pytest.fixture
def begin(small: Volume) -> Iterator[Begin]:
    """Return what starts a writer on the volume; it ends before the volume does."""
    with ExitStack() as stack:

        def start(manner: str) -> Writer:
            writer = Writer(small.folder, manner)
            stack.callback(writer.kill)
            return writer

        yield start


def fault_on(small: Volume, way: Way, writer: Writer, folder: Path = Path("no")) -> Fault[Any]:
    """Plan the fault of the disk of a writer whose log is in `folder`."""
    cluster = OneNode(
        folder=folder, kill=writer.kill, restart=writer.start,
        disks=SimpleNamespace(volumes={1: small}),
    )  # fmt: skip
    cluster.process = lambda _: writer.process  # type: ignore[method-assign]
    return planned(cluster, "disk-full" if way is FULL else "disk-read-only")


@needs_volume
@pytest.mark.parametrize("way", [FULL, READ_ONLY])
def test_a_process_that_the_fault_ends_is_restarted_on_a_writable_disk(
    small: Volume, begin: Begin, way: Way
) -> None:
    writer = begin("eager")
    fault = fault_on(small, way, writer)
    assert small.refusal() == 0
    fault.inject()
    wait_for(writer.process.poll, bool)
    assert small.refusal() == way.refusal
    fault.lift()
    assert (writer.starts, small.refusal()) == (2, 0)
    line = fault.evidence()
    assert (line.figures["refused"], line.figures["ended"]) == (2, 1)
    assert line.acted_ms > 0
    if way is FULL:
        assert line.figures["free_bytes"] < volume.BLOCK


@needs_volume
@pytest.mark.parametrize(("way", "starts"), [(FULL, 1), (READ_ONLY, 2)])
def test_a_surviving_process_is_killed_only_if_its_disk_cannot_be_repaired_in_use(
    small: Volume, begin: Begin, way: Way, starts: int
) -> None:
    writer = begin("stubborn")
    fault = fault_on(small, way, writer)
    fault.inject()
    fault.lift()
    fault.lift()
    assert fault.evidence().figures["ended"] == 0
    assert writer.starts == starts
    assert (small.folder / "0.log").stat().st_size >= 100, "flushed data is still there"
    assert small.refusal() == 0


@needs_volume
@pytest.mark.parametrize(
    ("before", "during", "starts"),
    [("", "ERROR no space (LogDirFailureChannel)\n", 2), ("(LogDirFailureChannel)\n", "", 1)],
)
def test_a_broker_whose_log_folder_failed_is_waited_for_and_started_again(
    small: Volume, begin: Begin, tmp_path: Path, before: str, during: str, starts: int
) -> None:
    """It may end seconds after the write that failed; what was logged earlier does not count."""
    log, writer = tmp_path / "log", begin("stubborn")
    log.write_text(before)
    fault = fault_on(small, FULL, writer, tmp_path)
    fault.inject()
    log.write_text(before + during)
    if during:
        Timer(0.3, writer.process.kill).start()
    fault.lift()
    assert writer.starts == starts
    assert fault.evidence().figures["ended"] == starts - 1


@needs_volume
@pytest.mark.parametrize(("logged", "starts"), [("LogDirFailureChannel\n", 2), ("", 1)])
def test_a_broker_that_goes_on_without_one_of_its_folders_is_started_again_at_the_end(
    small: Volume, begin: Begin, tmp_path: Path, logged: str, starts: int
) -> None:
    writer = begin("stubborn")
    fault = fault_on(small, FULL, writer, tmp_path)
    fault.cluster.node(1).data_dirs.append(tmp_path / "data-2")
    fault.inject()
    (tmp_path / "log").write_text(logged)
    fault.lift()
    assert writer.starts == starts
    figures = fault.evidence().figures
    assert (figures["offline"], figures["ended"]) == (starts - 1, 0)


@needs_volume
def test_a_disk_that_is_writable_before_the_end_is_no_evidence(small: Volume, begin: Begin) -> None:
    fault = fault_on(small, FULL, begin("stubborn"))
    fault.inject()
    small.clear()
    fault.lift()
    assert (fault.evidence().acted_ms, fault.evidence().figures["refused"]) == (0.0, 1)


@needs_volume
def test_a_volume_is_empty_and_a_separate_file_system(small: Volume) -> None:
    assert list(small.folder.iterdir()) == []
    assert 8 * MEBIBYTE < small.free_bytes < 16 * MEBIBYTE
    assert small.refusal() == 0
    small.fill()
    assert small.refusal() == errno.ENOSPC


@needs_volume
def test_the_volume_of_a_dead_harness_is_removed(small: Volume, tmp_path: Path) -> None:
    image = next(tmp_path.glob("*.img"))
    small.unmount()
    gone = tmp_path / "insync-1-77-1.img"
    image.rename(gone)
    (tmp_path / "2").mkdir()
    mounts.run("mount", "-o", "loop", str(gone), str(tmp_path / "2"))
    mounts.sweep()
    assert not mounts.is_mounted(tmp_path / "2")
    gone.unlink()


@needs_volume
def test_a_volume_that_cannot_be_created_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "1" / "data").mkdir(parents=True)
    with pytest.raises(InsyncError, match=r"mkfs\.ext4: inode_size"):
        Volume.make(tmp_path / "1" / "data", tmp_path, 1024)
    assert not list(tmp_path.glob("*.img"))


def test_a_mount_table_is_read_with_its_escapes() -> None:
    table = "/dev/loop0 /tmp/a\\040b ext4 rw 0 0\ninsync-1-2 /x fuse.insync rw 0 0\n"
    assert mounts.parse(table) == [
        mounts.Mount("/dev/loop0", Path("/tmp/a b"), "ext4"),  # noqa: S108 - a name, no file
        mounts.Mount("insync-1-2", Path("/x"), "fuse.insync"),
    ]
