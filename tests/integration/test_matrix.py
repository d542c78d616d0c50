"""Runs a short matrix on real brokers: two stall sites and a dead follower, stock and request."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json, start_insync
from processes import end
from waiting import wait_for

SITES = ("read-stall", "send-stall", "dead-follower")

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], Path]:
    """Run the matrix; return the cells as printed, and the folder."""
    out = tmp_path_factory.mktemp("runs") / "matrix"
    chosen = ("--only", ",".join(SITES), "--arms", "stock,request")
    return insync_json("matrix", *chosen, "--out", out), out


def test_every_site_is_as_expected_on_every_arm(
    matrix: tuple[list[dict[str, Any]], Path],
) -> None:
    cells, _ = matrix
    named = [(cell["scenario"], cell["arm"], cell["ok"]) for cell in cells]
    assert named == [(site, arm, True) for site in SITES for arm in ("stock", "request")]
    found = {(cell["scenario"], cell["arm"]): cell for cell in cells}
    for site in ("read-stall", "send-stall"):
        assert found[site, "stock"]["isr_shrinks"][0] >= 1
        assert found[site, "request"]["isr_shrinks"] == [0]
        assert found[site, "request"]["first_shrink_ms"] == [None]
    for arm in ("stock", "request"):
        # Out of the ISR within 1.5 x lag + 1 s: nothing protects a dead follower.
        assert 0 < found["dead-follower", arm]["first_shrink_ms"][0] <= 4_000
        assert found["dead-follower", arm]["lost"] == [0]


def test_the_matrix_leaves_its_cells_its_page_its_table_and_whole_run_folders(
    matrix: tuple[list[dict[str, Any]], Path],
) -> None:
    cells, out = matrix
    assert json.loads((out / "matrix.json").read_text()) == cells
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
    tmp_path: Path,
) -> None:
    out = tmp_path / "matrix"
    chosen = ("--only", "read-stall,freeze", "--arms", "stock")
    with start_insync("matrix", *chosen, "--out", out) as run:
        phases = out / "4.3.1" / "freeze" / "events" / "stock" / "phases.jsonl"
        wait_for(lambda: phases.exists() and phases.read_text(), bool, within_s=120)
        # A worker, a controller and three brokers.
        assert not end(run, signal.SIGINT, least=5, within_s=60)
    assert run.returncode == 3
    whole, cut = insync_json("report", out, codes=(3,))
    assert (whole["scenario"], whole["ok"]) == ("read-stall", True)
    assert (cut["scenario"], cut["ok"]) == ("freeze", False)
    assert "cut short" in cut["unknown"]
