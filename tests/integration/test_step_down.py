"""KIP-501's solution 2 on real brokers: a stalled leader steps down once; stock and off do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from event_lines import lines_of

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
    """Run both scenarios as a matrix; return the verdict and the folder of each."""
    out = tmp_path_factory.mktemp("runs") / "matrix"
    chosen = ("--only", ",".join(SCENARIOS), "--arms", ",".join(ARMS), "--scale", str(SCALE))
    insync_json("matrix", *chosen, "--out", out)
    folders = {name: out / "4.3.1" / name for name in SCENARIOS}
    return {
        name: (json.loads((folder / "verdict.json").read_text()), folder)
        for name, folder in folders.items()
    }


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_stalled_leader_steps_down_once_per_partition_and_acks_go_on(
    runs: Runs, name: str
) -> None:
    arms = runs[name][0]["arms"]
    stepped = arms["step-down"]
    assert (stepped["leader_changes"], stepped["most_step_downs"]) == ([2], [1])
    assert stepped["step_downs"] == [2]
    assert stepped["max_ack_gap_ms"][0] < STALL_MS / 2
    assert (stepped["lost"], stepped["agent_errors"]) == ([0], [0])
    assert arms["stock"]["max_ack_gap_ms"][0] > STALL_MS * 0.8


def test_in_other_arms_no_leader_changes_and_no_step_down_event_is_written(runs: Runs) -> None:
    verdict, out = runs["step-down-read"]
    for arm in ("stock", "off"):
        assert verdict["arms"][arm]["leader_changes"] == [0]
        assert not (out / "events" / arm / "step-downs.jsonl").exists()
    lines = lines_of(out, "off", "broker-1.jsonl")
    assert not [line for line in lines if line["type"].startswith("step_down")]


def test_the_controllers_agent_reports_which_leaders_it_replaced(runs: Runs) -> None:
    _, out = runs["step-down-read"]
    last = lines_of(out, "step-down", "controller.jsonl")[-1]
    assert (last["woven"], last["errors"]) == (True, 0)
    lines = lines_of(out, "step-down", "broker-100.jsonl")
    relieved = [line for line in lines if line["type"] == "leader_relieved"]
    assert {line["partition"] for line in relieved if line["leader"] == 1} >= {0, 1}
    assert all(line["leaves"] and line["leader"] not in line["isr"] for line in relieved)


def test_the_report_names_the_step_downs(runs: Runs) -> None:
    _, out = runs["step-down-read"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Leaders changed 2 times, 2 of them by stepping down." in page
    assert "alter-partition" in page


def test_a_cluster_may_be_without_eligible_leader_replicas(tmp_path: Path) -> None:
    """Below min ISR, a version with eligible leader replicas names some that left the ISR."""
    scenario = tmp_path / "both-followers.toml"
    scenario.write_text(BOTH_FOLLOWERS, encoding="utf-8")
    insync_json("run", scenario, "--record-only", "--out", tmp_path / "run")
    named = {}
    for arm in ("stock", "elr-off"):
        lines = lines_of(tmp_path / "run", arm, "isr.jsonl")
        alone = [line for line in lines if len(line["isr"] or [1, 2]) < 2]
        assert alone, f"{arm}: nothing fell below min ISR"
        named[arm] = [bool(line["elr"]) for line in alone]
    assert all(named["stock"])
    assert not any(named["elr-off"])
