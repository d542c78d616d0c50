"""Faults on whole processes: freeze, quota, shutdown; of a node or of clients."""

import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_runs import NO_QUOTA, OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds import client_freeze, freeze, stop
from insync.faults.kinds.freeze import BySignal
from insync.faults.support import procfs, shares
from insync.faults.support.cgroup_places import here
from insync.faults.support.cgroups import ControlGroup
from insync.nodes import ACTIVE_CONTROLLER
from insync.owner import mine
from insync.run.repeat import check_done
from insync.scenario.load import source
from unit.faults.evidence import Process, Restarted, acted, lacks, refusal
from waiting import wait_for

Start = Callable[[str], Restarted]


def test_a_frozen_process_gets_no_cpu_and_runs_afterwards(busy: Process) -> None:
    fault = planned(OneNode(busy), "freeze")
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


@pytest.mark.parametrize("number", [signal.SIGCONT, signal.SIGKILL])
def test_a_process_that_others_resume_or_end_is_no_evidence(
    busy: Process, number: signal.Signals
) -> None:
    fault = planned(OneNode(busy), "freeze")
    fault.inject()
    busy.send_signal(number)
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


@pytest.mark.skipif(NO_QUOTA is not None, reason=str(NO_QUOTA))
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


OWN = {"t-0"}


def frozen(busy: Process, answers: Sequence[set[str]]) -> Fault[Any]:
    """Return the fault, whose coordinator answers this in turn, and the last answer again."""
    left = list(answers)

    def open_transactions(broker: int) -> set[str]:
        assert broker == 2
        assert procfs.is_stopped(busy.pid), "it is asked while the clients do nothing"
        return left.pop(0) if len(left) > 1 else left[0]

    cluster = OneNode(open_transactions=open_transactions)
    return planned(cluster, "client-freeze", broker=2, clients=busy, transactions=["t-0", "t-1"])


@pytest.mark.parametrize(
    ("answers", "figures", "lacking"),
    [
        ([OWN, OWN, set()], (1, 1), None),
        # None is open; one is, and ends by what the clients had sent before; one of another repeat.
        ([set(), OWN, set(), {"old"}, {*OWN, "old"}, {*OWN, "old"}, {"old"}], (1, 1), None),
        ([OWN, {"t-0", "t-1"}, {"t-1"}], (2, 1), "timed_out was 1, expected exactly 2"),
        ([OWN], (1, 0), "timed_out was 0, expected exactly 1"),
        ([set()], (0, 0), "open was 0, expected at least 1"),
    ],
)
def test_the_clients_do_nothing_from_an_open_transaction_on_until_it_has_timed_out(
    busy: Process, monkeypatch: pytest.MonkeyPatch, answers: Sequence[set[str]],
    figures: tuple[int, int], lacking: str | None,
) -> None:  # fmt: skip
    monkeypatch.setattr(client_freeze, "OPEN_WITHIN_S", 60 if any(answers) else 0.2)
    monkeypatch.setattr(client_freeze, "ARRIVES_WITHIN_S", 0)
    fault = frozen(busy, answers)
    fault.inject()
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert line.acted_ms > 0
    assert (line.figures["open"], line.figures["timed_out"]) == figures
    assert lacks("client-freeze", line.figures) == lacking
    assert not procfs.is_stopped(busy.pid)


def test_without_java_clients_it_cannot_act() -> None:
    with pytest.raises(InsyncError, match="no Java clients"):
        planned(OneNode(), "client-freeze").inject()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            'client = "both"', 'client = "librdkafka"',
            "faults[0].kind: 'client-freeze', expected a scenario with workload.transactions, and",
        ),
        ("for_ms = 6_000", "for_ms = 2_000", "faults[0].for_ms: 2000, expected more than workload"),
        ("timeout_ms = 2_000", "timeout_ms = 2_500", "transactions.timeout_ms: 2000, expected at"),
        ("\ntimeout_ms = 2_000", "\ntimeout_ms = 1_000_000", "expected at most 900000"),
    ],
)  # fmt: skip
def test_clients_that_cannot_be_stopped_so_are_refused(old: str, new: str, problem: str) -> None:
    text = source("frozen-client")
    assert old in text
    assert problem in refusal(text.replace(old, new, 1))
