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
from insync.cli.broker_data import settle_matrix
from insync.events.run_info import load_run
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
        verdict = json.loads((folder / "verdict.json").read_text())
        if "stock" in verdict["arms"]:
            assert verdict["verdict"] == "pass"
        else:
            assert verdict["reason"] == "the control arm stock was not run"
        assert json.loads((folder / "run.json").read_text())["finished_ms"] > 0


@pytest.mark.scenario(*SITES)
def test_the_data_of_a_matrixs_brokers_is_removed_where_all_is_as_expected(
    scenarios: RecordedScenarios,
) -> None:
    out = scenarios.matrix(SITES[0])
    runs = [load_run(file.parent) for file in out.glob("*/*/run.json")]
    needed = [("4.3.1", "request")]
    kept = settle_matrix(out, runs, needed)
    assert [home.name.partition("-")[0] for home in kept] == ["request"] * len(kept)
    left = [path for path in out.rglob("*.log") if "__cluster_metadata" in str(path)]
    assert {path.relative_to(out).parts[2].partition("-")[0] for path in left} == {"request"}
    assert settle_matrix(out, runs, []) == []


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
