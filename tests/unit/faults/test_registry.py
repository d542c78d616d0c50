"""The registry has every kind, says what this machine lacks, and runs ask the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from commands import invoke_json
from insync.cli import faults as command
from insync.cli.app import invoke
from insync.faults import kinds, registry
from insync.faults.kind import FaultKind
from insync.faults.kinds import cpu_neighbour
from insync.faults.registry import KINDS, tagged, why_not
from insync.faults.support import cpu_groups
from insync.run.requirements import unavailable
from insync.scenario.load import load

WITHOUT_A_FIGURE = {"kill"}


def test_every_kind_has_its_file_and_every_file_is_of_a_kind() -> None:
    files = {file.stem for file in Path(kinds.__path__[0]).glob("[!_]*.py")}
    assert {name.replace("-", "_") for name in KINDS} == files


def test_every_kind_but_one_is_for_both_kinds_of_cluster() -> None:
    """A container that was killed keeps its files to itself."""
    local = {kind for kind, entry in KINDS.items() if set(entry.probes) == {"local"}}
    assert local == {"lost-log"}
    others = [entry for kind, entry in KINDS.items() if kind not in local]
    assert all(set(entry.probes) == {"local", "docker"} for entry in others)


def test_every_kind_is_judged_by_a_figure_of_its_own() -> None:
    rule = FaultKind.__dataclass_fields__["missing"].default
    assert {name for name, kind in KINDS.items() if kind.missing is rule} == WITHOUT_A_FIGURE


BY_TAG = [
    (
        "stops_following",
        ["disk-full", "disk-read-only", "disk-stall", "freeze", "kill", "lost-log"],
    ),
    ("stops_following_at", ["stall"]),
    ("moves_leaders", ["elect"]),
    ("harmless", ["elect"]),
    ("at_both_ends", ["link"]),
    ("kills", ["kill", "lost-log"]),
    ("alone", ["disk-full", "disk-read-only", "freeze", "kill", "lost-log"]),
    ("regroups", ["cpu-quota", "disk-throttle"]),
    ("late_shrinks", ["cpu-quota", "disk-stall", "freeze", "queue-stall", "stall"]),
]
TAGGED = {name for _, names in BY_TAG for name in names}
"""The kinds whose tags are spelled out here; the test of a new kind has its own."""


@pytest.mark.parametrize(("tag", "names"), BY_TAG)
def test_the_kinds_that_other_parts_find_by_their_tags(tag: str, names: list[str]) -> None:
    assert [name for name in tagged(tag) if name in TAGGED] == names


def test_a_run_is_skipped_for_the_reason_that_the_registry_tells(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cpu_groups, "here", lambda _: [])
    reason = why_not("cpu-quota", "local", tmp_path)
    assert reason is not None
    assert unavailable(load("cpu-starved"), "local", tmp_path) == reason
    assert why_not("cpu-quota", "docker", tmp_path) is None


def test_a_shim_that_was_not_built_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.support.shim.SHIM", Path("/nowhere/libinsync_stall.so"))
    assert "no libinsync_stall.so" in (why_not("stall", "local", Path()) or "")


def test_a_kind_that_a_cluster_has_not_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "KINDS", {"rain": replace(KINDS["kill"], probes={})})
    assert why_not("rain", "docker", Path()) == "rain: not for --cluster docker"


def test_the_table_has_a_line_per_kind_and_the_reasons_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cpu_neighbour, "unavailable", lambda: "no [schedstat] here")
    assert invoke(["faults"]) == 0
    out = capsys.readouterr().out
    assert all(kind in out for kind in KINDS)
    assert "cpu-neighbour: no [schedstat] here\n" in out


def test_the_json_is_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    rows = invoke_json(capsys, "faults")
    assert [row["kind"] for row in rows] == list(KINDS)
    assert rows[0].keys() == {"kind", "does", "mechanism", "clusters", "evidence", "why_not"}


def test_where_no_engine_runs_no_fault_is_for_containers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    reasons = {row["why_not"] for row in command.catalogue("docker")}
    assert len(reasons) == 1
    assert next(iter(reasons)).startswith("docker: no engine at unix://")
