"""Random fault schedules on real brokers: judged, interrupted, resumed, and reduced to a cause."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json, start_insync
from insync.scenario.load import load
from processes import end
from waiting import wait_for

UNSAFE = ("--broker-config", "unclean.leader.election.enable=true")

pytestmark = pytest.mark.cluster


def by_outcome(found: Mapping[str, Any], outcome: str) -> list[int]:
    return [
        seed["seed"]
        for seed in found["seeds"]
        if outcome in {arm["outcome"] for arm in seed["arms"].values()}
    ]


def test_random_seeds_are_run_and_judged(tmp_path: Path) -> None:
    out = tmp_path / "fuzz"
    found = insync_json(
        "fuzz", "--seeds", "1-6", "--arms", "request", "--out", out, codes=(0, 3)
    )  # fmt: skip
    assert found == json.loads((out / "fuzz.json").read_text())
    assert [seed["seed"] for seed in found["seeds"]] == [1, 2, 3, 4, 5, 6]
    assert by_outcome(found, "fail") == []
    assert by_outcome(found, "pass"), "a busy host may keep faults of some seeds from acting"
    for seed in found["seeds"]:
        assert (out / seed["arms"]["request"]["report"]).is_file()
        assert f'id="seed-{seed["seed"]}"' in (out / "fuzz.html").read_text()


@pytest.mark.long
def test_an_interrupted_fuzz_leaves_no_process_and_is_resumed(tmp_path: Path) -> None:
    out = tmp_path / "fuzz"
    chosen = ("--seeds", "1-3", "--arms", "stock", "--out", out)
    with start_insync("fuzz", *chosen) as run:
        phases = out / "batches" / "0001" / "4.3.1" / "seed-2" / "events" / "stock" / "phases.jsonl"
        wait_for(lambda: phases.exists() and phases.read_text(), bool, within_s=120)
        # A worker, a controller and three brokers.
        assert not end(run, signal.SIGINT, least=5, within_s=60)
    assert run.returncode == 3
    assert json.loads((out / "fuzz.json").read_text())["verdict"] == "unknown"
    found = insync_json("fuzz", *chosen, "--resume", codes=(0, 3))
    assert [seed["seed"] for seed in found["seeds"]] == [1, 2, 3]
    assert found["batches"] == ["0001", "0002"]
    again = json.loads((out / "batches" / "0002" / "matrix-plan.json").read_text())
    assert [row["scenario"] for row in again["rows"]] == ["seed-2", "seed-3"]


@pytest.mark.long
def test_a_planted_bug_is_found_and_reduced_to_its_cause(tmp_path: Path) -> None:
    """With unclean elections a replica that lacks acked records may lead: acks=all loses them."""
    out = tmp_path / "fuzz"
    chosen = ("--arms", "stock", "--out", out, *UNSAFE)
    found = insync_json("fuzz", "--seeds", "1-40", *chosen, codes=(1,))
    reduced = [each for each in found["reduced"] if each["of"] == "integrity" and each["file"]]
    assert reduced
    best = min(reduced, key=lambda each: each["faults"])
    assert best["faults"] <= 3
    assert best["failed"] > 0
    scenario = load(str(out / best["file"]))
    assert scenario.workload.acks == "all"
    assert len(scenario.faults) == best["faults"]
