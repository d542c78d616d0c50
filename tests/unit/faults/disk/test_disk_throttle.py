"""Limits on a disk: what is written to the kernel, what is read from it, and a slow read."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.kinds.disk.disk_throttle import evict
from insync.faults.support.cgroups import ControlGroup
from insync.faults.support.disk import blkio
from insync.faults.support.disk.blkio import Moved, Rates

MEBIBYTE = 1 << 20
READ_ALL = """
import sys
sys.stdin.read()
print(len(open(sys.argv[1], "rb").read()))
"""


def test_v1_limits_and_counters_have_the_kernels_format(tmp_path: Path) -> None:
    group = ControlGroup(tmp_path, unified=False)
    for name in ("read", "write"):
        (tmp_path / f"blkio.throttle.{name}_bps_device").touch()
    blkio.limits("8:0", Rates(read=1000))(group)
    assert (tmp_path / "blkio.throttle.read_bps_device").read_text() == "8:0 1000"
    assert (tmp_path / "blkio.throttle.write_bps_device").read_text() == ""
    for name in ("read", "write"):
        (tmp_path / f"blkio.throttle.{name}_bps_device").write_text("")
    blkio.free(group, "8:0")
    for name in ("read", "write"):
        assert (tmp_path / f"blkio.throttle.{name}_bps_device").read_text() == "8:0 0"
    text = "8:16 Read 9\n8:0 Read 512\n8:0 Write 77\n8:0 Total 589\nTotal 598\n"
    (tmp_path / "blkio.throttle.io_service_bytes").write_text(text)
    assert blkio.moved(group, "8:0") == Moved(512, 77)
    assert blkio.moved(group, "9:0") == Moved(0, 0)


def test_v2_limits_and_counters_have_the_kernels_format(tmp_path: Path) -> None:
    group = ControlGroup(tmp_path, unified=True)
    (tmp_path / "io.max").touch()
    blkio.limits("8:0", Rates(read=1000, write=5))(group)
    assert (tmp_path / "io.max").read_text() == "8:0 rbps=1000 wbps=5"
    blkio.free(group, "8:0")
    assert (tmp_path / "io.max").read_text() == "8:0 rbps=max wbps=max"
    text = "8:16 rbytes=9 wbytes=9\n8:0 rbytes=512 wbytes=77 rios=1 wios=1 dbytes=0 dios=0\n"
    (tmp_path / "io.stat").write_text(text)
    assert blkio.moved(group, "8:0") == Moved(512, 77)


def test_evicted_files_are_counted_and_not_changed(tmp_path: Path) -> None:
    (tmp_path / "t-0").mkdir()
    (tmp_path / "t-0" / "0.log").write_bytes(b"x" * 5000)
    assert evict(tmp_path) == 5000
    assert (tmp_path / "t-0" / "0.log").read_bytes() == b"x" * 5000
    assert evict(tmp_path / "none") == 0


@pytest.fixture
def reader(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    (tmp_path / "0.log").write_bytes(os.urandom(2 * MEBIBYTE))
    command = [sys.executable, "-c", READ_ALL, str(tmp_path / "0.log")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_process_reads_no_faster_than_the_limit(
    tmp_path: Path, reader: "subprocess.Popen[bytes]"
) -> None:
    why = blkio.unavailable(tmp_path)
    if why is not None:
        pytest.skip(why)
    fault = planned(
        OneNode(reader, folder=tmp_path), "disk-throttle", read_bytes_per_s=2 * MEBIBYTE
    )
    fault.lift()  # nothing was injected
    fault.inject()
    printed, _ = reader.communicate()
    fault.lift()
    line = fault.evidence()
    assert printed == b"%d\n" % (2 * MEBIBYTE)
    assert line.figures["evicted_bytes"] == 2 * MEBIBYTE
    assert line.figures["read_bytes"] >= 2 * MEBIBYTE
    assert line.acted_ms is not None and line.acted_ms >= 900
    assert line.lifted_ms - line.injected_ms >= 900
    assert not list(Path("/sys/fs/cgroup").glob(f"**/insync-{os.getpid()}-*"))


def test_a_throttle_without_a_disk_is_reported(reader: "subprocess.Popen[bytes]") -> None:
    why = "no disk can be throttled: /proc is on none of its own, expected a block device"
    assert blkio.unavailable(Path("/proc/none/such")) == why
    fault = planned(OneNode(reader, folder=Path("/proc")), "disk-throttle", read_bytes_per_s=1)
    with pytest.raises(InsyncError, match=why):
        fault.inject()
