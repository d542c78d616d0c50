"""The catalogue has every kind, says what this machine lacks, and runs ask the same."""

from pathlib import Path

import pytest

from commands import invoke_json
from insync.analysis.verdict.weakness import _MISSING
from insync.cli import faults as command
from insync.cli.app import invoke
from insync.faults import catalogue
from insync.faults.catalogue import CATALOGUE, why_not
from insync.faults.kinds import neighbour
from insync.faults.support import cpu_groups
from insync.run.needs import unavailable
from insync.scenario.faults import KINDS
from insync.scenario.load import load

WITHOUT_A_FIGURE = {"kill"}


def test_every_kind_has_its_row_and_no_row_is_of_no_kind() -> None:
    assert set(CATALOGUE) == set(KINDS)


def test_every_kind_but_one_is_for_both_kinds_of_cluster() -> None:
    """A container that was killed keeps its files to itself."""
    local = {kind for kind, entry in CATALOGUE.items() if set(entry.probes) == {"local"}}
    assert local == {"lost-log"}
    others = [entry for kind, entry in CATALOGUE.items() if kind not in local]
    assert all(set(entry.probes) == {"local", "docker"} for entry in others)


def test_every_kind_is_judged_by_a_figure_of_its_own() -> None:
    assert set(_MISSING) | WITHOUT_A_FIGURE == set(KINDS)


def test_a_run_is_skipped_for_the_reason_that_the_catalogue_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cpu_groups, "here", lambda _: [])
    reason = why_not("cpu-quota", "local", tmp_path)
    assert reason is not None
    assert unavailable(load("cpu-starved"), "local", tmp_path) == reason
    assert why_not("cpu-quota", "docker", tmp_path) is None


def test_a_shim_that_was_not_built_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.kinds.stall.SHIM", Path("/nowhere/libinsync_stall.so"))
    assert "no libinsync_stall.so" in (why_not("stall", "local", Path()) or "")


def test_a_kind_that_a_cluster_has_not_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = catalogue.Entry(does="", mechanism="", evidence="", probes={})
    monkeypatch.setattr(catalogue, "CATALOGUE", {"rain": entry})
    assert why_not("rain", "docker", Path()) == "rain: not for --cluster docker"


def test_the_table_has_a_line_per_kind_and_the_reasons_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(neighbour, "unavailable", lambda: "no [schedstat] here")
    assert invoke(["faults"]) == 0
    out = capsys.readouterr().out
    assert all(kind in out for kind in KINDS)
    assert "cpu-neighbour: no [schedstat] here\n" in out


def test_the_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    rows = invoke_json(capsys, "faults")
    assert [row["kind"] for row in rows] == list(CATALOGUE)
    assert rows[0].keys() == {"kind", "does", "mechanism", "clusters", "evidence", "why_not"}


def test_where_no_engine_runs_no_fault_is_for_containers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    reasons = {row["why_not"] for row in command.catalogue("docker")}
    assert len(reasons) == 1
    assert next(iter(reasons)).startswith("docker: no engine at unix://")
