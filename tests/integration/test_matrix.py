"""What a matrix on real brokers leaves behind, whole and interrupted."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import start_insync
from every_scenario import RecordedScenarios
from processes import end
from waiting import wait_for

SITES = ("read-stall", "send-stall", "slow-follower")

pytestmark = pytest.mark.cluster


@pytest.mark.scenario(*SITES)
def test_the_matrix_leaves_its_cells_its_page_its_table_and_whole_run_folders(
    scenarios: RecordedScenarios,
) -> None:
    out = scenarios.matrix(SITES[0])
    assert json.loads((out / "matrix.json").read_text()) == scenarios.matrices[out]
    assert "| `send-stall` |" in (out / "matrix.md").read_text()
    page = (out / "matrix.html").read_text(encoding="utf-8")
    for site in SITES:
        folder = out / "4.3.1" / site
        assert f'href="4.3.1/{site}/report.html#arm-request"' in page
        assert json.loads((folder / "verdict.json").read_text())["verdict"] == "pass"
        assert json.loads((folder / "run.json").read_text())["finished_ms"] > 0
    left = [path for path in out.rglob("*.log") if "__cluster_metadata" in str(path)]
    assert left == [], "the brokers' data is gone"


def test_an_interrupted_matrix_leaves_no_process_and_its_finished_runs_can_be_judged(
    tmp_path: Path, judge: Callable[..., Any]
) -> None:
    out = tmp_path / "matrix"
    chosen = ("--only", "read-stall,freeze", "--arms", "stock")
    with start_insync("matrix", *chosen, "--out", out) as run:
        phases = out / "4.3.1" / "freeze" / "events" / "stock" / "phases.jsonl"
        wait_for(lambda: phases.exists() and phases.read_text(), bool, within_s=120)
        # A worker, a controller and three brokers.
        assert not end(run, signal.SIGINT, least=5, within_s=60)
    assert run.returncode == 3
    whole, cut = judge(out)
    assert (whole["scenario"], whole["ok"]) == ("read-stall", True)
    assert (cut["scenario"], cut["ok"]) == ("freeze", False)
    assert "cut short" in cut["unknown"]
