"""Solution 2 on real brokers: a leader that stalls steps down once; stock and off wait it out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

INSYNC = Path(sys.executable).with_name("insync")
SCALE = 0.25
STALL_MS = 25_000 * SCALE
SCENARIOS = ("step-down-read", "step-down-send")
ARMS = ("stock", "off", "step-down")

BOTH_FOLLOWERS = """
schema = 1
name = "both-followers"
summary = "the writes of both followers hang: the leader is left alone in the ISR"
arms = ["stock", "elr-off"]
control_arms = []
repeats = 1
min_insync_replicas = 2
[broker]
replica_lag_time_max_ms = 2000
replica_fetch_wait_max_ms = 500
[workload]
leaders = [1]
rate_per_partition = 25
record_bytes = 200
[timeline]
steady_ms = 1000
recover_ms = 3000
[[faults]]
kind = "stall"
site = "write"
mode = "hold"
target = "followers of 0"
partitions = [0]
at_ms = 1000
for_ms = 5000
"""

pytestmark = pytest.mark.cluster

Runs = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """Play both as a matrix; returns the verdict and the folder of each."""
    out = tmp_path_factory.mktemp("runs") / "matrix"
    command = [INSYNC, "matrix", "--only", ",".join(SCENARIOS), "--arms", ",".join(ARMS)]
    done = subprocess.run(
        [*command, "--scale", str(SCALE), "--out", out],
        capture_output=True, text=True, check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folders = {name: out / "4.3.1" / name for name in SCENARIOS}
    return {
        name: (json.loads((folder / "verdict.json").read_text()), folder)
        for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_stalled_leader_gives_each_partition_away_once_and_acks_go_on(
    runs: Runs, name: str
) -> None:
    arms = runs[name][0]["arms"]
    stepped = arms["step-down"]
    assert (stepped["leader_changes"], stepped["most_step_downs"]) == ([2], [1])
    assert stepped["step_downs"] == [2]
    assert stepped["max_ack_gap_ms"][0] < STALL_MS / 2
    assert (stepped["lost"], stepped["agent_errors"]) == ([0], [0])
    assert arms["stock"]["max_ack_gap_ms"][0] > STALL_MS * 0.8


def test_nobody_else_changes_leaders_and_no_agent_speaks_of_it(runs: Runs) -> None:
    verdict, out = runs["step-down-read"]
    for arm in ("stock", "off"):
        assert verdict["arms"][arm]["leader_changes"] == [0]
        assert not (out / "events" / arm / "step-downs.jsonl").exists()
    lines = (out / "events" / "off" / "broker-1.jsonl").read_text().splitlines()
    assert not [line for line in map(json.loads, lines) if line["type"].startswith("step_down")]


def test_the_controller_carries_the_agent_and_tells_whom_it_relieved(runs: Runs) -> None:
    _, out = runs["step-down-read"]
    events = out / "events" / "step-down"
    last = json.loads((events / "controller.jsonl").read_text().splitlines()[-1])
    assert (last["woven"], last["errors"]) == (True, 0)
    lines = (events / "broker-100.jsonl").read_text().splitlines()
    relieved = [line for line in map(json.loads, lines) if line["type"] == "leader_relieved"]
    assert {line["partition"] for line in relieved if line["leader"] == 1} >= {0, 1}
    assert all(line["leaves"] and line["leader"] not in line["isr"] for line in relieved)


def test_the_report_names_the_step_downs(runs: Runs) -> None:
    _, out = runs["step-down-read"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Leaders changed 2 times, 2 of them by stepping down." in page
    assert "alter-partition" in page


def test_a_cluster_may_be_without_eligible_leader_replicas(tmp_path: Path) -> None:
    """Below min ISR a version that has them names some of those that left."""
    scenario = tmp_path / "both-followers.toml"
    scenario.write_text(BOTH_FOLLOWERS, encoding="utf-8")
    done = subprocess.run(
        [INSYNC, "run", scenario, "--record-only", "--out", tmp_path / "run"],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    named = {}
    for arm in ("stock", "elr-off"):
        lines = (tmp_path / "run" / "events" / arm / "isr.jsonl").read_text().splitlines()
        alone = [line for line in map(json.loads, lines) if len(line["isr"] or [1, 2]) < 2]
        assert alone, f"{arm}: nothing fell below min ISR"
        named[arm] = [bool(line["elr"]) for line in alone]
    assert all(named["stock"])
    assert not any(named["elr-off"])
