"""Random fault schedules on real brokers: judged, interrupted, resumed, and reduced to a cause."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import insync, insync_json, start_insync
from insync.brokers.kafka.java import Java
from insync.scenario.load import load
from mutants import harness_with, write_mutant
from processes import end
from waiting import wait_for

PLANTED = "successor-outside-isr"
SEEDS = "41-50"
WITHIN_S = 2_400.0

pytestmark = pytest.mark.cluster


def by_outcome(found: Mapping[str, Any], outcome: str) -> list[int]:
    return [
        seed["seed"]
        for seed in found["seeds"]
        if outcome in {arm["outcome"] for arm in seed["arms"].values()}
    ]


@pytest.mark.long
def test_random_seeds_are_run_and_judged(tmp_path: Path) -> None:
    out = tmp_path / "fuzz"
    found = insync_json(
        "fuzz", "--seeds", "1-2", "--arms", "request", "--out", out, codes=(0, 3)
    )  # fmt: skip
    assert found == json.loads((out / "fuzz.json").read_text())
    assert [seed["seed"] for seed in found["seeds"]] == [1, 2]
    assert by_outcome(found, "fail") == []
    assert by_outcome(found, "pass"), "a busy host may keep faults of some seeds from acting"
    for seed in found["seeds"]:
        assert (out / seed["arms"]["request"]["report"]).is_file()
        assert f'id="seed-{seed["seed"]}"' in (out / "fuzz.html").read_text()


@pytest.mark.long
def test_an_interrupted_fuzz_leaves_no_process_and_is_resumed(java: Java, tmp_path: Path) -> None:
    out, mutant = tmp_path / "fuzz", tmp_path / "mutant.jar"
    chosen = ("--seeds", "1-3", "--arms", "request", "--out", out)
    with start_insync("fuzz", *chosen) as run:
        events = out / "batches" / "0001" / "4.3.1" / "seed-2" / "events" / "request"
        phases = events / "phases.jsonl"
        wait_for(lambda: phases.exists() and phases.read_text(), bool, within_s=180)
        # A worker, a controller and three brokers.
        assert not end(run, signal.SIGINT, least=5, within_s=60)
    assert run.returncode == 3
    before = (out / "fuzz.json").read_text()
    assert json.loads(before)["verdict"] == "unknown"

    assert write_mutant(java, PLANTED, mutant) == ""
    other = harness_with(mutant, tmp_path / "harness")
    refused = insync("fuzz", *chosen, "--resume", env=other)
    assert refused.returncode == 2
    assert "build of the agent" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert (out / "fuzz.json").read_text() == before

    found = insync_json("fuzz", *chosen, "--resume", codes=(0, 3))
    assert [seed["seed"] for seed in found["seeds"]] == [1, 2, 3]
    assert found["batches"] == ["0001", "0002"]
    again = json.loads((out / "batches" / "0002" / "matrix-plan.json").read_text())
    assert [row["scenario"] for row in again["rows"]] == ["seed-2", "seed-3"]


@pytest.mark.long
def test_a_planted_bug_is_found_and_reduced_to_its_cause(java: Java, tmp_path: Path) -> None:
    """Leaders that step down give their partitions to a broker that is not in the ISR."""
    mutant, out = tmp_path / "mutant.jar", tmp_path / "fuzz"
    assert write_mutant(java, PLANTED, mutant) == ""
    chosen = ("--seeds", SEEDS, "--minutes", "20", "--arms", "step-down", "--out", out)
    env = harness_with(mutant, tmp_path / "harness")
    found = insync_json("fuzz", *chosen, codes=(1,), env=env, within_s=WITHIN_S)
    logs = [*(out / "batches").rglob("stdout.log")]
    assert logs
    assert all(f"[insync] mutant {PLANTED}" in log.read_text() for log in logs)
    reduced = [each for each in found["reduced"] if each["of"] == "integrity" and each["file"]]
    assert reduced, [
        (each["seed"], each["arms"]["step-down"]["outcome"]) for each in found["seeds"]
    ]
    best = min(reduced, key=lambda each: each["faults"])
    assert best["faults"] <= 3
    assert best["failed"] > 0
    scenario = load(str(out / best["file"]))
    assert scenario.workload.acks == "all"
    assert len(scenario.faults) == best["faults"]
