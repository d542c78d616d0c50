"""The busy neighbour, on a process of this test: its evidence, and that nothing is left behind."""

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds.cpu_neighbour import busy_command, unavailable
from insync.faults.support import affinity
from unit.faults.evidence import Process
from waiting import wait_for

pytestmark = pytest.mark.skipif(unavailable() is not None, reason=str(unavailable()))


class Neighbours(list[Process]):
    """Starts processes and remembers them."""

    def __call__(self, command: list[str]) -> Process:
        self.append(subprocess.Popen(command))
        return self[-1]


def waited(pid: int) -> float:
    """Return how long those threads waited that exist from the beginning to the end."""
    return sum(sorted(affinity.waited_ms(pid).values())[-3:])


def fault_on(process: Process, start: Callable[[list[str]], Any]) -> Fault[Any]:
    cluster = OneNode(process, start=start)
    return planned(cluster, "cpu-neighbour", neighbours=2, for_ms=60_000)


def test_a_process_beside_busy_ones_waits_for_its_cores(busy: Process) -> None:
    before, start = affinity.cores_of(busy.pid)[busy.pid], Neighbours()
    fault = fault_on(busy, start)
    fault.prepare()
    fault.inject()
    core = {max(before)}
    assert set(affinity.cores_of(busy.pid).values()) == {frozenset(core)}
    assert all(os.sched_getaffinity(each.pid) == core for each in start)
    since = waited(busy.pid)
    wait_for(lambda: waited(busy.pid) - since, lambda ms: ms > 400)
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert line.acted_ms > 0
    assert line.figures["waited_ms"] > 100
    assert line.figures["neighbours_ms"] > 0
    assert 0 < line.figures["share_percent"] < 75
    assert all(each.poll() is not None for each in start)
    assert set(affinity.cores_of(busy.pid).values()) == {before}


def test_threads_that_were_just_placed_count_however_long_that_took(
    busy: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy host the first look at a broker's threads may take longer than the time for all."""
    monkeypatch.setattr(affinity, "_SETTLED_WITHIN_S", 0)
    core = max(os.sched_getaffinity(0))
    affinity.confine(busy.pid, core)
    assert set(affinity.cores_of(busy.pid).values()) == {frozenset({core})}


@pytest.mark.parametrize("who", ["the broker", "a neighbour"])
def test_if_one_of_them_ends_during_the_fault_it_is_lifted_and_has_no_evidence(
    busy: Process, who: str
) -> None:
    start = Neighbours()
    fault = fault_on(busy, start)
    fault.inject()
    ended = busy if who == "the broker" else start[0]
    ended.kill()
    ended.wait()
    fault.lift()
    assert fault.evidence().acted_ms == 0
    assert all(each.poll() is not None for each in start)


def test_started_neighbours_are_ended_if_a_next_fails(busy: Process) -> None:
    start = Neighbours()

    def twice(command: list[str]) -> Process:
        if start:
            raise InsyncError("no more")
        return start(command)

    fault = fault_on(busy, twice)
    with pytest.raises(InsyncError, match="no more"):
        fault.inject()
    fault.lift()
    assert start[0].poll() is not None


def test_an_ended_process_cannot_get_a_neighbour() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    with pytest.raises(InsyncError, match="broker 1: its process has already ended"):
        fault_on(ended, Neighbours()).inject()


def test_a_neighbour_ends_by_itself_after_its_time() -> None:
    core = max(os.sched_getaffinity(0))
    with subprocess.Popen(busy_command(core, 0.05)) as neighbour:
        assert neighbour.wait() == 0
