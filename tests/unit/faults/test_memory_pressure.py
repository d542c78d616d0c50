"""Memory that is limited: what is written to the kernel, what shows that it acted, what is left."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from fault_runs import OneNode, planned
from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault, refusal
from insync.faults.kinds import memory_pressure
from insync.faults.kinds.disk.disk_throttle import ThrottleFault
from insync.faults.kinds.memory_pressure import (
    LEAST_BYTES,
    PARTITIONS,
    READERS,
    REPEATS,
    ColdReaders,
)
from insync.faults.support import cgroups, memory_groups
from insync.faults.support.cgroup_places import Parent, home_of
from insync.faults.support.cgroups import ControlGroup, Stay
from insync.faults.support.disk import blkio
from insync.faults.support.memory_groups import Pressure
from insync.owner import mine
from unit.faults.evidence import lacks
from waiting import wait_for

THROTTLED = FaultLine(
    arm="stock", repeat=0, fault="memory-pressure", site="", mode="", broker=1, target=[],
    injected_ms=1.0, lifted_ms=2.0, calls_held=0, held_ms=0, longest_held_ms=0, planned_ms=1,
    acted_ms=1.0, figures={"read_bytes": 9.0},
)  # fmt: skip
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
def throttle(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the fault of the disk; return the calls."""
    asked: list[str] = []
    monkeypatch.setattr(ThrottleFault, "inject", lambda _: asked.append("inject"))
    monkeypatch.setattr(ThrottleFault, "lift", lambda _: asked.append("lift"))
    monkeypatch.setattr(
        ThrottleFault, "evidence",
        lambda fault: replace(THROTTLED, figures={**THROTTLED.figures, **fault.figures}),
    )  # fmt: skip
    return asked


class Broker:
    """Accepts connections, keeps what was asked, and sends as long as somebody reads."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.asked: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._server.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self.asked.append(client.recv(1 << 20))
        try:
            while True:
                client.sendall(bytes(1 << 16))
        except OSError:
            client.close()


def fault_on(folder: Path, port: int, made: list[object] | None = None) -> Fault[Any]:
    """Plan a fault of a broker at a port; topics are added to `made`."""
    cluster = OneNode(
        psutil.Process(), folder=folder, port=port,
        make_old_records=lambda *topic: (made or []).append(topic),
    )  # fmt: skip
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
    assert reader.stdin is not None
    reader.stdin.close()
    assert reader.stdout is not None
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
        readers = ColdReaders.start(stack, broker.port, [b"one", b"two"])
        wait_for(lambda: len(broker.asked), (2).__eq__)
        wait_for(lambda: readers.received, lambda size: size > 1 << 20)
    assert sorted(broker.asked) == [b"one" * REPEATS, b"two" * REPEATS]


def test_the_fault_reads_more_than_fits_and_adds_its_figures_to_those_of_the_throttle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: list[str]
) -> None:
    broker = Broker()
    made: list[Any] = [None]
    limits: list[object] = []
    stay = Stay(1, tmp_path, ControlGroup(tmp_path, unified=True))
    monkeypatch.setattr(memory_pressure, "confine", lambda *asked: limits.append(asked) or stay)
    seen = iter([Pressure(), Pressure(1, 1), Pressure(2, 3), Pressure(4, 8)])
    monkeypatch.setattr(memory_pressure, "pressure", lambda _: next(seen))
    fault = fault_on(tmp_path, broker.port, made)
    fault.lift()  # nothing was injected
    fault.prepare()
    fault.inject()
    wait_for(lambda: len(broker.asked), READERS.__eq__)
    wait_for(lambda: fault._readers.received, bool)  # type: ignore[attr-defined]
    fault.lift()
    fault.lift()
    (topic, on, partitions, size) = made[1]
    assert (topic, on, partitions) == ("t-r0-m1-0", 1, PARTITIONS)
    assert partitions * size > LEAST_BYTES, "not all of it fits"
    asked = {wire.fetch("t-r0-m1-0", partition, size) for partition in range(PARTITIONS)}
    assert {each[: len(each) // REPEATS] for each in broker.asked} == asked
    assert limits == [(os.getpid(), "memory-1", LEAST_BYTES)]
    assert throttle == ["lift", "inject", "lift", "lift"]
    figures = fault.evidence().figures
    sent = figures.pop("sent_bytes")
    assert sent > 0
    assert figures == {"read_bytes": 9.0, "refaults": 5.0, "limit_hits": 2.0}


def test_memory_that_cannot_be_limited_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: list[str]
) -> None:
    monkeypatch.setattr("insync.faults.support.cgroups.here", lambda _: [])
    with pytest.raises(InsyncError, match="no memory can be limited: no cgroup with"):
        fault_on(tmp_path, 1).inject()
    assert throttle == []


def test_memory_that_suffices_is_reported_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, throttle: list[str]
) -> None:
    stay = Stay(1, tmp_path, ControlGroup(tmp_path, unified=True))
    monkeypatch.setattr(memory_pressure, "confine", lambda *_: stay)
    monkeypatch.setattr(memory_pressure, "pressure", lambda _: Pressure())
    monkeypatch.setattr(memory_pressure, "FULL_WITHIN_S", 0.01)
    fault = fault_on(tmp_path, Broker().port)
    with pytest.raises(InsyncError, match="broker 1: its memory suffices for all it reads"):
        fault.inject()
    fault.lift()
    assert throttle == ["lift"]


@pytest.mark.parametrize(
    ("figures", "missing"),
    [
        ({"read_bytes": 9.0, "refaults": 1.0}, None),
        ({"read_bytes": 9.0, "refaults": 0.0}, "refaults was 0, expected at least 1"),
        ({"read_bytes": 0.0, "refaults": 1.0}, "read_bytes was 0, expected at least 1"),
    ],
)
def test_without_pages_read_again_from_the_disk_there_is_no_evidence(
    figures: dict[str, float], missing: str | None
) -> None:
    assert str(lacks("memory-pressure", figures)).startswith(str(missing))
