"""The order in which a disk's operations begin to hang, and the state afterwards."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import planned
from insync.faults.base import Fault
from insync.faults.kinds.disk import disk_stall as stall
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.disk.gate import Gate
from insync.scenario.load import parse
from unit.faults.evidence import alone, refusal
from waiting import wait_for

ALL = (Site.READ, Site.WRITE, Site.FSYNC)
DELAY = {"mode": "delay", "delay_ms": 20}


class Disk:
    """A gate and threads of this process that use it."""

    def __init__(self, control: ControlFile, gate: Gate, ends: ExitStack) -> None:
        self.control = control
        self._gate = gate
        self._ends = ends
        self.passed: list[Site] = []

    def use(self, site: Site) -> None:
        """Do one operation; it may hang."""
        thread = threading.Thread(target=self._use, args=(site,))
        thread.start()
        self._ends.callback(thread.join)

    def _use(self, site: Site) -> None:
        self._gate.enter(site)
        self.passed.append(site)

    def first(self, fault: Fault[Any], first: Site, other: Site) -> None:
        """Inject a fault that begins with `first`: the `other` passes before it."""
        injecting = threading.Thread(target=fault.inject)
        injecting.start()
        wait_for(lambda: self.control.header.armed, lambda armed: armed == 1)
        self.use(other)
        wait_for(lambda: self.passed, bool)
        self.use(first)
        injecting.join()


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Disk]:
    monkeypatch.setattr(stall, "FIRST_WITHIN_S", 60)
    control = ControlFile.create(tmp_path / "disk.control", tmp_path, 9)
    with ExitStack() as ends:
        yield Disk(control, Gate(tmp_path / "disk.control"), ends)


def fault_on(disk: Disk, *operations: Site, first: Site = Site.READ, **keys: Any) -> Fault[Any]:
    cluster = SimpleNamespace(disks=SimpleNamespace(gates={1: disk.control}))
    names, begins_with = [each.name.lower() for each in operations], first.name.lower()
    keys = {"mode": "hold", "operations": names, "begins_with": begins_with, **keys}
    return planned(cluster, "disk-stall", for_ms=10_000, **keys)


@pytest.mark.parametrize(
    ("first", "other"), [(Site.READ, Site.WRITE), (Site.WRITE, Site.READ)], ids=["read", "write"]
)
def test_a_read_or_a_write_is_the_first_to_hang(disk: Disk, first: Site, other: Site) -> None:
    fault = fault_on(disk, *ALL, first=first)
    disk.first(fault, first, other)
    disk.use(other)
    disk.use(Site.FSYNC)
    wait_for(lambda: [disk.control.counters(slot).held_now for slot in range(3)], all)
    fault.lift()
    line = fault.evidence()
    assert line.figures == {"reads": 1, "writes": 1, "fsyncs": 1}
    assert line.calls_held == 3
    assert line.acted_ms == line.longest_held_ms > 0
    assert line.held_ms > line.longest_held_ms


def test_without_reads_other_operations_hang(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stall, "FIRST_WITHIN_S", 0.01)
    fault = fault_on(disk, *ALL)
    fault.inject()
    disk.use(Site.WRITE)
    wait_for(lambda: disk.control.counters(1).held_now, bool)
    fault.lift()
    assert fault.evidence().figures == {"reads": 0, "writes": 1, "fsyncs": 0}


def test_a_delay_begins_for_all_operations_at_once_and_others_pass(disk: Disk) -> None:
    fault = fault_on(disk, Site.READ, Site.WRITE, **DELAY)
    began = time.monotonic()
    fault.inject()
    assert time.monotonic() - began < stall.FIRST_WITHIN_S, "it waits for no first one"
    for site in ALL:
        disk.use(site)
    wait_for(lambda: disk.passed, lambda passed: len(passed) == 3)
    fault.lift()
    seen = fault.evidence()
    assert seen.figures == {"reads": 1, "writes": 1}
    assert seen.longest_held_ms >= 20


def test_a_write_is_the_first_to_take_longer_if_asked_for(disk: Disk) -> None:
    fault = fault_on(disk, *ALL, **DELAY, first=Site.WRITE)
    disk.first(fault, Site.WRITE, Site.READ)
    disk.use(Site.READ)
    wait_for(lambda: disk.passed, lambda passed: len(passed) == 3)
    fault.lift()
    assert fault.evidence().figures == {"reads": 1, "writes": 1, "fsyncs": 0}


def test_writes_that_do_not_stall_cannot_be_the_first() -> None:
    whole = {"mode": "hold", "begins_with": "write"}
    for keys in (whole, {**whole, **DELAY}):
        assert parse(alone("disk-stall", **keys), "mine.toml").faults
    assert "begins_with" in refusal(alone("disk-stall", **whole, operations=["read"]))


def test_an_expired_rule_stalls_nothing(tmp_path: Path, disk: Disk) -> None:
    holds = ArmedRules(disk.control, 1)
    holds.arm([""], Site.READ, Mode.HOLD, planned_ms=-6_000)
    Gate(tmp_path / "disk.control").enter(Site.READ)
    assert holds.total.calls == 0
    holds.drain()
