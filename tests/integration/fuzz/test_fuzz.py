"""Random fault schedules on real brokers: judged, and reduced to a cause."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from insync.brokers.kafka.java import Java
from insync.scenario.load import load
from mutants import harness_with, write_mutant

PLANTED = "successor-outside-isr"
SEEDS = "1-10"
WITHIN_S = 2_400.0


def by_outcome(found: Mapping[str, Any], outcome: str) -> list[str]:
    return [
        seed["of"]
        for seed in found["children"]
        if outcome in {arm["outcome"] for arm in seed["children"]}
    ]


@pytest.mark.long
def test_random_seeds_are_run_and_judged(tmp_path: Path) -> None:
    out = tmp_path / "fuzz"
    found = insync_json(
        "fuzz", "--seeds", "1-2", "--arms", "request", "--out", out, codes=(0, 3)
    )  # fmt: skip
    assert found == json.loads((out / "verdict.json").read_text())
    assert [seed["of"] for seed in found["children"]] == ["seed 1", "seed 2"]
    assert by_outcome(found, "fail") == []
    assert by_outcome(found, "pass"), "a busy host may keep faults of some seeds from acting"
    for seed in found["children"]:
        report = seed["children"][0]["links"]["report"]
        assert (out / report.partition("#")[0]).is_file()
        assert report in (out / "report.html").read_text()


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
    reduced = [
        each
        for seed in found["children"]
        for each in seed["children"]
        if each["of"].endswith("integrity, reduced") and each.get("links")
    ]
    assert reduced, by_outcome(found, "fail")
    scenarios = {each["found"]: load(str(out / each["links"]["scenario"])) for each in reduced}
    words, best = min(scenarios.items(), key=lambda pair: len(pair[1].faults))
    assert len(best.faults) <= 3
    assert f"faults reduced to {len(best.faults)}; " in words
    assert "; 0 of" not in words
    assert best.workload.acks == "all"
