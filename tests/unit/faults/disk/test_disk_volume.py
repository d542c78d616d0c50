"""A volume that fills up or turns read-only under a process, and what ends with the fault."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Timer
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.support.disk import broken, mounts, volume
from insync.faults.support.disk.broken import FULL, READ_ONLY, Way
from insync.faults.support.disk.volume import Volume
from unit.faults.evidence import Restarted
from waiting import wait_for

NO_VOLUME = volume.unavailable()
MEBIBYTE = 1 << 20
FAILED = "ERROR no space (LogDirFailureChannel)\n"
pytestmark = pytest.mark.skipif(NO_VOLUME is not None, reason=str(NO_VOLUME))

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


Begin = Callable[[str], Restarted]


@pytest.fixture
def begin(small: Volume, restarted: Callable[..., Restarted]) -> Begin:
    """Return what starts a writer on the volume, which ends before the volume does."""
    return partial(restarted, WRITER, str(small.folder))


def fault_on(small: Volume, kind: str, writer: Restarted, folder: Path = Path("no")) -> Fault[Any]:
    """Plan the fault of the disk of a writer whose log is in `folder`."""
    cluster = writer.node(folder=folder, disks=SimpleNamespace(volumes={1: small}))
    return planned(cluster, kind)


@pytest.mark.parametrize(("kind", "way"), [("disk-full", FULL), ("disk-read-only", READ_ONLY)])
def test_a_process_that_the_fault_ends_is_restarted_on_a_writable_disk(
    small: Volume, begin: Begin, kind: str, way: Way
) -> None:
    assert list(small.folder.iterdir()) == []
    assert 8 * MEBIBYTE < small.free_bytes < 16 * MEBIBYTE
    writer = begin("eager")
    fault = fault_on(small, kind, writer)
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


@pytest.mark.parametrize(
    ("kind", "before", "during", "folders", "ends", "starts"),
    [
        ("disk-full", "", "", 1, False, 1),
        ("disk-read-only", "", "", 1, False, 2),
        ("disk-full", "", FAILED, 1, True, 2),
        ("disk-full", FAILED, "", 1, False, 1),
        ("disk-full", "", FAILED, 2, False, 2),
        ("disk-full", "", "", 2, False, 1),
    ],
    ids=[
        "its disk is repaired in use", "its disk cannot be repaired in use",
        "it ends seconds after the write that failed", "what was logged earlier does not count",
        "it goes on without one of its folders", "it lost none of its folders",
    ],
)  # fmt: skip
def test_a_process_that_outlives_the_beginning_is_restarted_if_its_folder_is_lost(
    small: Volume, begin: Begin, tmp_path: Path, kind: str, before: str, during: str, folders: int,
    ends: bool, starts: int,
) -> None:  # fmt: skip
    log, writer = tmp_path / "log", begin("stubborn")
    log.write_text(before)
    fault = fault_on(small, kind, writer, tmp_path)
    fault.cluster.node(1).data_dirs *= folders
    fault.inject()
    log.write_text(before + during)
    if ends:
        Timer(0.3, writer.process.kill).start()
    fault.lift()
    fault.lift()
    assert writer.starts == starts
    figures = fault.evidence().figures
    assert (figures["ended"], figures["offline"]) == (ends, bool(during))
    assert (small.folder / "0.log").stat().st_size >= 100, "flushed data is still there"
    assert small.refusal() == 0


def test_a_disk_that_is_writable_before_the_end_is_no_evidence(small: Volume, begin: Begin) -> None:
    fault = fault_on(small, "disk-full", begin("stubborn"))
    fault.inject()
    small.clear()
    fault.lift()
    assert (fault.evidence().acted_ms, fault.evidence().figures["refused"]) == (0.0, 1)


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


def test_a_volume_that_cannot_be_created_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "1" / "data").mkdir(parents=True)
    with pytest.raises(InsyncError, match=r"mkfs\.ext4: inode_size"):
        Volume.make(tmp_path / "1" / "data", tmp_path, 1024)
    assert not list(tmp_path.glob("*.img"))
