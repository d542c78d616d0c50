"""Memory that is limited: what is written to the kernel, what shows that it acted, what is left."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import psutil
import pytest

from fault_runs import OneNode, planned
from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.faults.base import Fault, refusal
from insync.faults.kinds import memory_pressure
from insync.faults.kinds.disk.disk_throttle import ThrottleFault
from insync.faults.kinds.memory_pressure import LEAST_BYTES, PARTITIONS, READERS, REPEATS
from insync.faults.support import cgroups, memory_groups
from insync.faults.support.cgroup_places import Parent, home_of
from insync.faults.support.cgroups import ControlGroup, Stay
from insync.faults.support.disk import blkio
from insync.faults.support.memory_groups import Pressure
from insync.owner import mine
from unit.servers import Server
from waiting import wait_for

READ_TWICE = """
import os, sys
sys.stdin.read()
for _ in range(2):
    with open(sys.argv[1], "rb") as file:
        while file.read(1 << 20): pass
print(os.getpid())
sys.stdout.flush()
sys.stdin = open(sys.argv[2]); sys.stdin.read()
"""


@pytest.fixture
def throttle(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Replace the fault of the disk by one that has read 9 bytes; return the calls of it."""
    made = Mock()
    monkeypatch.setattr(ThrottleFault, "inject", made.inject)
    monkeypatch.setattr(ThrottleFault, "lift", made.lift)
    monkeypatch.setattr(ThrottleFault, "evidence", lambda own: {"read_bytes": 9, **own.figures})
    return made


class Broker(Server):
    """Keeps what was asked, and sends as long as somebody reads."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        super().__init__()

    def serve(self, client: socket.socket) -> None:
        self.asked.append(client.recv(1 << 20))
        while True:
            client.sendall(bytes(1 << 16))


def fault_on(folder: Path, port: int = 1, made: Any = None) -> Fault[Any]:
    """Plan a fault of a broker at a port."""
    cluster = OneNode(psutil.Process(), folder=folder, port=port, make_old_records=made)
    return planned(cluster, "memory-pressure", read_bytes_per_s=1 << 20)


@pytest.fixture
def reader(tmp_path: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process that reads, when told to, a file twice that is larger than the limit."""
    file, more = tmp_path / "0.log", tmp_path / "more"
    with file.open("wb") as log:
        for _ in range(LEAST_BYTES * 3 // 2 >> 20):
            log.write(os.urandom(1 << 20))
        log.flush()
        os.fdatasync(log.fileno())
        os.posix_fadvise(log.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    os.mkfifo(more)
    command = [sys.executable, "-c", READ_TWICE, str(file), str(more)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(
    ("unified", "limit", "events", "counted", "stat"),
    [
        (False, "limit_in_bytes", "failcnt", "7\n", "cache 5\nworkingset_refault_file 3\nrss 1\n"),
        (
            True, "high", "events", "low 0\nhigh 7\nmax 0\noom 0\noom_kill 0\n",
            "anon 5\nworkingset_refault_file 3\n",
        ),
    ],
    ids=["v1", "v2"],
)  # fmt: skip
def test_a_limit_and_its_counters_have_the_kernels_format(
    tmp_path: Path, unified: bool, limit: str, events: str, counted: str, stat: str
) -> None:
    """In v2 it is the limit that kills nothing."""
    group = ControlGroup(tmp_path, unified)
    (tmp_path / f"memory.{limit}").touch()
    memory_groups.limit(1000)(group)
    assert (tmp_path / f"memory.{limit}").read_text() == "1000"
    (tmp_path / f"memory.{events}").write_text(counted)
    (tmp_path / "memory.stat").write_text(stat)
    assert memory_groups.pressure(group) == Pressure(limit_hits=7, refaults=3)


def test_in_v2_a_group_that_a_fault_has_made_gets_the_second_limit_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process is in one group only, and the memory's limit is on that group."""
    own = tmp_path / f"insync-{mine()}-memory-1"
    own.mkdir()
    (own / "io.max").touch()
    (tmp_path / "cgroup.subtree_control").write_text("memory")
    monkeypatch.setattr(cgroups, "home_of", lambda *_: own)
    limit = blkio.limits("8:0", blkio.Rates(read=1000))
    stay = Stay.begin(1, Parent(tmp_path, True, "blkio"), "disk-1", limit)
    stay.end()
    assert (own / "io.max").read_text() == "8:0 rbps=1000"
    assert (tmp_path / "cgroup.subtree_control").read_text().startswith("+io")
    assert own.exists(), "it ends with the fault that made it"


def test_pages_that_do_not_fit_are_read_again_and_no_group_is_left(
    reader: "subprocess.Popen[bytes]",
) -> None:
    if problem := refusal(memory_groups.place):
        pytest.skip(problem)
    place = memory_groups.place()
    home = home_of(reader.pid, place)
    stay = memory_groups.confine(reader.pid, "memory-test", LEAST_BYTES)
    assert home_of(reader.pid, place) != home
    reader.stdin.close()
    reader.stdout.readline()
    seen = memory_groups.pressure(stay.group)
    stay.end()
    assert seen.refaults > 0
    assert seen.limit_hits > 0
    assert home_of(reader.pid, place) == home
    assert not list(Path("/sys/fs/cgroup").glob(f"**/insync-{os.getpid()}-*"))


def test_readers_send_the_same_request_again_and_again_and_throw_away_what_comes() -> None:
    broker = Broker()
    with ExitStack() as stack:
        readers = memory_pressure.ColdReaders.start(stack, broker.address[1], [b"one", b"two"])
        wait_for(lambda: len(broker.asked), (2).__eq__)
        wait_for(lambda: readers.received, lambda size: size > 1 << 20)
    assert sorted(broker.asked) == [b"one" * REPEATS, b"two" * REPEATS]


def test_the_fault_reads_more_than_fits_and_adds_its_figures_to_those_of_the_throttle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: Mock
) -> None:
    broker, made = Broker(), Mock()
    confine = Mock(return_value=Stay(1, tmp_path, ControlGroup(tmp_path, unified=True)))
    monkeypatch.setattr(memory_pressure, "confine", confine)
    seen = iter([Pressure(), Pressure(1, 1), Pressure(2, 3), Pressure(4, 8)])
    monkeypatch.setattr(memory_pressure, "pressure", lambda _: next(seen))
    fault = fault_on(tmp_path, broker.address[1], made)
    fault.prepare()
    fault.inject()
    wait_for(lambda: len(broker.asked), READERS.__eq__)
    wait_for(lambda: fault._readers.received, bool)  # type: ignore[attr-defined]
    fault.lift()
    fault.lift()
    *topic, size = made.call_args.args
    assert topic == ["t-r0-m1-0", 1, PARTITIONS]
    assert PARTITIONS * size > LEAST_BYTES, "not all of it fits"
    asked = {wire.fetch("t-r0-m1-0", partition, size) for partition in range(PARTITIONS)}
    assert {each[: len(each) // REPEATS] for each in broker.asked} == asked
    confine.assert_called_once_with(os.getpid(), "memory-1", LEAST_BYTES)
    assert throttle.mock_calls == [call.inject(), call.lift(), call.lift()]
    figures: Any = fault.evidence()
    assert figures.pop("sent_bytes") > 0
    assert figures == {"read_bytes": 9, "refaults": 5, "limit_hits": 2}


def test_memory_that_cannot_be_limited_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: Mock
) -> None:
    monkeypatch.setattr("insync.faults.support.cgroups.here", lambda _: [])
    with pytest.raises(InsyncError, match="no memory can be limited: no cgroup with"):
        fault_on(tmp_path).inject()
    assert throttle.mock_calls == []


def test_memory_that_suffices_is_reported_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: Mock
) -> None:
    stay = Stay(1, tmp_path, ControlGroup(tmp_path, unified=True))
    monkeypatch.setattr(memory_pressure, "confine", lambda *_: stay)
    monkeypatch.setattr(memory_pressure, "pressure", lambda _: Pressure())
    monkeypatch.setattr(memory_pressure, "FULL_WITHIN_S", 0.01)
    fault = fault_on(tmp_path, Broker().address[1])
    with pytest.raises(InsyncError, match="broker 1: its memory suffices for all it reads"):
        fault.inject()
    fault.lift()
    assert throttle.mock_calls == [call.lift()]
