"""Faults on whole processes: freeze, kill, quota, shutdown; each on a process of this test."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import refusal
from insync.faults.kinds import freeze, stop
from insync.faults.kinds.freeze import BySignal
from insync.faults.support import procfs, shares
from insync.faults.support.cgroup_places import here
from insync.faults.support.cgroups import ControlGroup
from insync.nodes import ACTIVE_CONTROLLER
from insync.owner import mine
from insync.run.repeat import check_done
from unit.faults.evidence import acted, lacks
from unit.faults.fakes import Process, Restarted
from waiting import wait_for

Start = Callable[[str], Restarted]


def test_a_frozen_process_gets_no_cpu_and_runs_afterwards(busy: Process) -> None:
    fault = planned(OneNode(busy), "freeze")
    fault.prepare()
    fault.inject()
    before = procfs.cpu_ms(busy.pid)
    assert procfs.is_stopped(busy.pid)
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert (line.fault, line.site, line.broker, line.planned_ms) == ("freeze", "", 1, 100)
    assert line.acted_ms > 0
    assert line.figures == {"cpu_ms": 0.0}
    assert line.lifted_ms >= line.injected_ms
    wait_for(lambda: procfs.cpu_ms(busy.pid), lambda ms: ms != before)


def test_a_process_that_others_resume_is_no_evidence(busy: Process) -> None:
    fault = planned(OneNode(busy), "freeze")
    fault.inject()
    busy.send_signal(signal.SIGCONT)
    wait_for(lambda: procfs.is_stopped(busy.pid), lambda stopped: not stopped)
    fault.lift()
    assert fault.evidence().acted_ms == 0


def test_the_active_controller_is_found_when_the_fault_begins_and_named_in_its_evidence(
    busy: Process,
) -> None:
    cluster = OneNode(None, active_controller=lambda: 102)
    cluster.process = {102: busy}.get  # type: ignore[method-assign, assignment]
    fault = planned(cluster, "freeze", broker=ACTIVE_CONTROLLER)
    fault.begin()
    assert procfs.is_stopped(busy.pid)
    fault.lift()
    line = fault.evidence()
    assert (line.broker, line.figures["node"]) == (ACTIVE_CONTROLLER, 102)


def test_an_ended_process_is_lifted_and_has_no_evidence(busy: Process) -> None:
    fault = planned(OneNode(busy), "freeze")
    fault.inject()
    busy.kill()
    busy.wait()
    fault.lift()
    assert fault.evidence().acted_ms == 0


def test_a_process_continues_if_its_freeze_is_interrupted_at_its_beginning(
    busy: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C may come while the fault waits until all threads are stopped."""

    class Interrupted(BySignal):
        def is_stopped(self) -> bool:
            wait_for(super().is_stopped, bool)
            raise KeyboardInterrupt

    monkeypatch.setattr(freeze, "BySignal", Interrupted)
    fault = planned(OneNode(busy), "freeze")
    with pytest.raises(KeyboardInterrupt):
        fault.inject()
    wait_for(lambda: procfs.is_stopped(busy.pid), lambda stopped: not stopped)
    fault.lift()


@pytest.mark.skipif(refusal(shares.place) is not None, reason=str(refusal(shares.place)))
def test_a_throttled_process_waits_for_its_share_and_its_group_is_removed(
    busy: Process,
) -> None:
    fault = planned(OneNode(busy), "cpu-quota", quota_percent=5.0)
    fault.inject()
    (folder,) = _groups()
    group = ControlGroup(folder, unified=(folder / "cpu.max").exists())
    wait_for(lambda: shares.throttled(group), lambda seen: seen.times >= 3 and seen.ms > 100)
    fault.lift()
    line = fault.evidence()
    assert line.figures["throttled"] >= 3
    assert 100 < line.acted_ms <= line.lifted_ms - line.injected_ms + 1
    assert not _groups()


def _groups() -> set[Path]:
    name = f"insync-{mine()}-1"
    return {folder for parent in here("cpu") for folder in parent.folder.glob(name)}


@given(st.text(max_size=15), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_stat_line_is_read_for_any_command_name(name: str, user: int, system: int) -> None:
    class Stat:
        def read_text(self, **_: str) -> str:
            return f"7 ({name}) T " + " ".join(["0"] * 10) + f" {user} {system} 0 0"

    assert procfs._state(Stat()) == "T"  # type: ignore[arg-type]  # stands in for a path


def test_a_missing_process_is_not_stopped_and_has_no_cpu_time(tmp_path: Path) -> None:
    assert not procfs.is_stopped(1, tmp_path)
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert procfs.cpu_ms(ended.pid) is None


POLITE = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + POLITE


def stop_of(broker: Restarted, *, listed: bool = True) -> Any:
    return planned(broker.node(is_listed=lambda _: listed), "stop")


def test_a_broker_that_ends_starts_again_and_its_times_are_evidence(restarted: Start) -> None:
    broker = restarted(POLITE)
    fault = stop_of(broker)
    fault.inject()
    wait_for(broker.process.poll, lambda code: code is not None)
    fault.lift()
    fault.lift()
    assert broker.starts == 2
    line = fault.evidence()
    assert (lacks("stop", line.figures), fault.failed) == (None, "")
    assert 0 < line.figures["shut_down_ms"] <= line.lifted_ms - line.injected_ms + 1
    assert line.figures["listed_ms"] > 0
    assert 0 < line.acted_ms < line.lifted_ms - line.injected_ms + 1


def test_a_broker_that_does_not_end_is_killed_and_that_is_a_finding(restarted: Start) -> None:
    broker = restarted(STUBBORN)
    fault = stop_of(broker)
    fault.inject()
    check_done([fault])
    fault.lift()
    assert broker.starts == 2
    figures = fault.evidence().figures
    assert (figures["ended"], lacks("stop", figures)) == (0, None)
    with pytest.raises(InsyncError, match=r"broker 1: did not end within 0\.1 s of SIGTERM"):
        check_done([fault])


def test_a_broker_that_stays_fenced_is_no_evidence(
    restarted: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "LISTED_WITHIN_S", 0.01)
    line = acted(stop_of(restarted(POLITE), listed=False))
    assert lacks("stop", line.figures) == "listed was 0, expected at least 1"


def test_a_broker_that_has_ended_cannot_be_stopped(restarted: Start) -> None:
    broker = restarted(POLITE)
    broker.kill()
    fault = stop_of(broker)
    with pytest.raises(InsyncError, match="broker 1: its process ended before the stop"):
        fault.inject()
    fault.lift()
    assert broker.starts == 1
