"""Every kind of fault on real brokers leaves its evidence; what is cut short is healed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from insync.analysis.verdict.repeat_facts import _fault
from insync.analysis.verdict.weakness import weakness
from insync.events.run_info import PlannedFault
from insync.faults.kinds import neighbour
from insync.faults.support import cgroups, cpu_groups
from insync.faults.support.cgroup_places import here
from insync.run.plan import prepare
from insync.run.progress import NoProgress
from insync.run.request import RunRequest
from insync.run.runner import execute
from insync.scenario.load import parse
from waiting import wait_for

INSYNC = Path(sys.executable).with_name("insync")
NO_QUOTA = cpu_groups.unavailable()
NO_NEIGHBOUR = neighbour.unavailable()
HEAD = """
schema = 1
name = "all-kinds"
summary = "one fault of every kind after the other"
arms = ["stock"]
repeats = 1
min_insync_replicas = 2
[broker]
replica_lag_time_max_ms = 2_000
replica_fetch_wait_max_ms = 500
broker_session_timeout_ms = 3_000
[workload]
leaders = [1, 2, 3]
rate_per_partition = 25
record_bytes = 200
[timeline]
steady_ms = 500
recover_ms = 1_000
"""
STALL = {"kind": "stall", "mode": "hold", "partitions": [0]}
FAULTS: dict[str, dict[str, Any]] = {
    "read stall": {**STALL, "site": "read", "broker": 1},
    "send stall": {**STALL, "site": "send", "broker": 1},
    "write stall": {**STALL, "site": "write", "broker": 3},
    "freeze": {"kind": "freeze", "broker": 2},
    "cpu-quota": {"kind": "cpu-quota", "broker": 2, "quota_percent": 1.0},
    "controller freeze": {"kind": "freeze", "target": "controller"},
    "cpu-neighbour": {"kind": "cpu-neighbour", "broker": 2},
    "link": {"kind": "link", "broker": 1, "peer": 2, "mode": "cut"},
    "queue-stall": {"kind": "queue-stall", "broker": 1},
    "elect": {"kind": "elect", "broker": 2, "partitions": [0]},
    "kill": {"kind": "kill", "broker": 3},
}
if NO_QUOTA:
    del FAULTS["cpu-quota"]
if NO_NEIGHBOUR:
    del FAULTS["cpu-neighbour"]

pytestmark = pytest.mark.cluster


def scenario(faults: list[dict[str, Any]]) -> str:
    """Write a scenario in which these faults follow each other, 600 ms each."""
    text = HEAD
    for number, fault in enumerate(faults):
        when: dict[str, Any] = {"at_ms": 500 + number * 900}
        if fault["kind"] != "elect":
            when["for_ms"] = fault.get("for_ms", 600)
        lines = (f"{key} = {json.dumps(value)}" for key, value in {**fault, **when}.items())
        text += "[[faults]]\n" + "\n".join(lines) + "\n"
    return text


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Run all kinds in one repeat; the evidence by the fault's name, null where none is."""
    folder = tmp_path_factory.mktemp("kinds")
    file = folder / "all-kinds.toml"
    file.write_text(scenario(list(FAULTS.values())), encoding="utf-8")
    execute(prepare(RunRequest(scenario=str(file), out=folder / "run"), NoProgress()), NoProgress())
    lines = (folder / "run/events/stock/faults.jsonl").read_text().splitlines()
    yield dict(zip(FAULTS, map(json.loads, lines), strict=True))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_a_real_broker_shows_that_it_acted(name: str, evidence: dict[str, Any]) -> None:
    planned = parse(scenario([FAULTS[name]]), name).faults[0].model_dump(mode="json")
    plan, fact = PlannedFault.model_validate(planned), _fault(evidence[name])
    assert list(weakness(plan, fact, name)) == []
    assert (fact.fault, fact.site, fact.broker) == (plan.kind, plan.site, plan.broker)


@pytest.mark.parametrize(
    "name",
    [
        "freeze",
        pytest.param("cpu-quota", marks=pytest.mark.skipif(bool(NO_QUOTA), reason=str(NO_QUOTA))),
    ],
)
def test_a_run_cut_in_the_middle_of_a_fault_leaves_nothing_behind(
    tmp_path: Path, name: str
) -> None:
    file, out = tmp_path / "all-kinds.toml", tmp_path / "run"
    file.write_text(scenario([{**FAULTS[name], "for_ms": 60_000}]), encoding="utf-8")
    command = [INSYNC, "run", file, "--out", out]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        started = wait_for(
            lambda: psutil.Process(run.pid).children(recursive=True),
            lambda children: any(_suffers(child, run.pid) for child in children),
            within_s=60,
        )
        os.kill(run.pid, signal.SIGINT)
        run.wait(30)
    _, alive = psutil.wait_procs(started, timeout=10)
    assert not alive
    assert not list(_groups(run.pid))
    assert "finished_ms" not in json.loads((out / "run.json").read_text())


@pytest.mark.skipif(bool(NO_QUOTA), reason=str(NO_QUOTA))
def test_the_group_of_a_harness_that_was_killed_is_swept_by_the_next(tmp_path: Path) -> None:
    file = tmp_path / "all-kinds.toml"
    file.write_text(scenario([{**FAULTS["cpu-quota"], "for_ms": 60_000}]), encoding="utf-8")
    command = [INSYNC, "run", file, "--out", tmp_path / "run"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        wait_for(lambda: list(_groups(run.pid)), bool, within_s=60)
        started = psutil.Process(run.pid).children(recursive=True)
        run.kill()
        run.wait(30)
    psutil.wait_procs(started, timeout=10)
    assert list(_groups(run.pid))
    cgroups.sweep(here("cpu"))
    assert not list(_groups(run.pid))


def _suffers(process: psutil.Process, harness: int) -> bool:
    """Whether a process is stopped or has less than its share."""
    groups = [(group / "cgroup.procs").read_text().split() for group in _groups(harness)]
    stopped: bool = process.status() == psutil.STATUS_STOPPED
    return stopped or any(str(process.pid) in pids for pids in groups)


def _groups(harness: int) -> Iterator[Path]:
    for parent in here("cpu"):
        yield from parent.folder.glob(f"insync-{harness}-*-[0-9]")
