"""Brokers of the patched Kafka, without the agent, do what those with the agent do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from patched_kafka import patched_libs

pytestmark = pytest.mark.cluster


@pytest.mark.long
@pytest.mark.parametrize("scenario", ["read-stall", "send-stall", "dead-follower"])
def test_the_patch_is_as_the_scenario_expects_of_the_agent(
    scenario: str, judge: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    insync_json(
        "run", scenario, "--kafka", patched_libs(), "--arms",
        "stock,patched-read,patched-request", "--record-only", "--out", out,
    )  # fmt: skip
    (verdict,) = judge(out)
    assert verdict["verdict"] == "pass", verdict["reason"]
    assert not list(out.glob("events/*/broker-*.jsonl")), "the agent writes these"
