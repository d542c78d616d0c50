"""What a matrix on real brokers leaves behind."""

from __future__ import annotations

import json

import pytest

from every_scenario import RecordedScenarios
from insync.cli.judge import settle_matrix
from insync.events.run_info import load_run

SITES = ("read-stall", "send-stall", "slow-follower")

pytestmark = pytest.mark.cluster


@pytest.mark.scenario(*SITES)
def test_the_matrix_leaves_its_cells_its_page_its_table_and_whole_run_folders(
    scenarios: RecordedScenarios,
) -> None:
    for site in SITES:
        out = scenarios.matrix(site)
        assert json.loads((out / "matrix.json").read_text()) == scenarios.matrices[out]
        assert f"| `{site}` |" in (out / "matrix.md").read_text()
        page = (out / "matrix.html").read_text(encoding="utf-8")
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
