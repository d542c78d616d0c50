"""Every kind of fault leaves its evidence on real brokers; an interrupted one is undone."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from commands import start_insync
from fault_runs import FAULTS, NO_QUOTA, UNAVAILABLE, run_faults, small_scenario, weaknesses
from insync.faults.support.cgroup_places import here
from waiting import wait_for

HERE = {name: fault for name, fault in FAULTS.items() if not UNAVAILABLE.get(name)}


def scenario(faults: list[dict[str, Any]]) -> str:
    """Write a scenario in which these faults follow each other, 900 ms each."""
    timed = []
    for number, fault in enumerate(faults):
        for_ms = {} if fault["kind"] == "elect" else {"for_ms": fault.get("for_ms", 900)}
        timed.append({**fault, "at_ms": 500 + number * 1_300, **for_ms})
    broker = {"broker_session_timeout_ms": 3_000}
    return small_scenario("all-kinds", timed, min_insync_replicas=2, broker=broker)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run all kinds in one repeat; each fault's plan and evidence by its name."""
    seen = run_faults(tmp_path_factory.mktemp("kinds"), scenario(list(HERE.values())))
    return dict(zip(HERE, seen, strict=True))


@pytest.mark.parametrize("name", HERE)
def test_a_fault_on_a_real_broker_shows_that_it_acted(name: str, evidence: dict[str, Any]) -> None:
    plan, line = evidence[name]
    assert weaknesses(plan, line) == []
    assert (line["fault"], line["site"]) == (plan["kind"], plan.get("site", ""))
    assert line["broker"] == plan["broker"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("freeze", marks=pytest.mark.long),
        pytest.param("cpu-quota", marks=pytest.mark.skipif(bool(NO_QUOTA), reason=str(NO_QUOTA))),
    ],
)
def test_a_run_that_is_cut_in_a_fault_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    file, out = tmp_path / "all-kinds.toml", tmp_path / "run"
    file.write_text(scenario([{**FAULTS[name], "for_ms": 60_000}]), encoding="utf-8")
    with start_insync("run", file, "--out", out) as run:
        started = wait_for(
            lambda: psutil.Process(run.pid).children(recursive=True),
            lambda children: any(_suffers(child, run.pid) for child in children),
            within_s=120,
        )
        run.send_signal(signal.SIGINT)
        run.wait(120)
    _, alive = psutil.wait_procs(started, timeout=60)
    assert not alive
    assert not list(_groups(run.pid))
    assert "finished_ms" not in json.loads((out / "run.json").read_text())


def _suffers(process: psutil.Process, harness: int) -> bool:
    """Whether a process is stopped or has less CPU than its share; not if it has ended."""
    groups = [(group / "cgroup.procs").read_text().split() for group in _groups(harness)]
    try:
        stopped: bool = process.status() == psutil.STATUS_STOPPED
    except psutil.NoSuchProcess:
        return False
    return stopped or any(str(process.pid) in pids for pids in groups)


def _groups(harness: int) -> Iterator[Path]:
    for parent in here("cpu"):
        yield from parent.folder.glob(f"insync-{harness}-*-[0-9]")
