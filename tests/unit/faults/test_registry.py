"""The registry has every kind and names what this machine lacks; runs use the same answer."""

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from fault_runs import planned
from insync.cli import faults as command
from insync.cli.app import invoke
from insync.errors import InsyncError
from insync.faults import kinds
from insync.faults.kind import FaultKind
from insync.faults.kinds import cpu_neighbour
from insync.faults.registry import KINDS, tagged, why_not
from insync.faults.support import cgroups
from insync.run.requirements import unavailable
from insync.scenario.load import load

WITHOUT_A_FIGURE = {"kill"}


def test_kinds_and_files_match_one_to_one() -> None:
    files = {file.stem for file in Path(kinds.__path__[0]).rglob("[!_]*.py")}
    assert {name.replace("-", "_") for name in KINDS} == files


def test_kinds_run_on_both_kinds_of_cluster_unless_they_need_files_of_nodes() -> None:
    """A container keeps its files to itself."""
    local = {kind for kind, entry in KINDS.items() if set(entry.probes) == {"local"}}
    assert local == {"corrupt", "create-topic", "lost-log", "move-log-dir"}
    others = [entry for kind, entry in KINDS.items() if kind not in local]
    # tests/unit/cli/test_errors.py names those of a cluster that insync did not start.
    assert all(set(entry.probes) - {"existing"} == {"local", "docker"} for entry in others)


KEYS: dict[str, Any] = {
    "partitions": [0], "site": "read", "peer": 2, "quota_percent": 5.0, "settings": {"a": "b"},
    "by_ms": 5, "read_bytes_per_s": 1, "count": 30, "api": "Fetch",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_that_was_never_injected_can_be_lifted_and_has_no_evidence(kind: str) -> None:
    mode = "cut" if kind.endswith("link") else "drop" if kind == "answer" else "hold"
    broker = {"broker": 100} if kind == "quorum-link" else {}
    keys = {"mode": mode, **KEYS, **broker}
    own = {name: keys[name] for name in KINDS[kind].spec.model_fields if name in keys}
    cluster = MagicMock()
    made = planned(cluster, kind, leaders=[1], **own)
    cluster.reset_mock()
    made.lift()
    assert cluster.mock_calls == []
    with pytest.raises(InsyncError, match="not injected"):
        made.evidence()


def test_every_kind_is_judged_by_its_own_figure() -> None:
    rule = FaultKind.__dataclass_fields__["missing"].default
    assert {name for name, kind in KINDS.items() if kind.missing is rule} == WITHOUT_A_FIGURE


TAGGED = {
    "stops_following": (
        "disk-full disk-read-only disk-stall freeze jvm-pause kill lost-log power-failure stop"
    ),
    "stops_process": "freeze kill lost-log power-failure",
    "stops_following_at": "stall",
    "moves_leaders": "elect",
    "harmless": (
        "add-replica client-freeze config-update create-topic delete-topic elect more-partitions"
        " move-log-dir produce-flood remove-replica topic-churn"
    ),
    "only_planned": (
        "corrupt create-topic delete-topic more-partitions move-log-dir produce-flood stop"
        " write-error"
    ),
    "at_both_ends": "link",
    "kills": "kill lost-log power-failure stop",
    "alone": "disk-full disk-read-only freeze jvm-pause kill lost-log power-failure stop",
    "regroups": "cpu-quota disk-throttle memory-pressure",
    "late_shrinks": (
        "clock-jump controller-link cpu-quota disk-stall freeze jvm-pause queue-stall stall"
    ),
}


@pytest.mark.parametrize("tag", TAGGED)
def test_the_tags_by_which_other_parts_find_kinds(tag: str) -> None:
    assert tagged(tag) == TAGGED[tag].split()


def test_a_run_is_skipped_for_the_reason_in_the_registry(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(cgroups, "here", lambda _: [])
    reason = "no CPU quota can be set: no cgroup with the cpu controller is mounted"
    assert why_not("cpu-quota", "local", tmp_path) == reason
    assert unavailable(load("cpu-starved"), "local", tmp_path) == reason
    assert unavailable(load("freeze"), "local", tmp_path) is None
    assert why_not("cpu-quota", "docker", tmp_path) is None


def test_a_missing_shim_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.support.shim.SHIM", Path("/nowhere/libinsync_stall.so"))
    assert "no libinsync_stall.so" in (why_not("stall", "local", Path()) or "")


def test_the_table_has_a_line_per_kind_and_the_reasons_below(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cpu_neighbour, "unavailable", lambda: "no [schedstat] here")
    assert invoke(["faults"]) == 0
    out = capsys.readouterr().out
    assert all(kind in out for kind in KINDS)
    assert "cpu-neighbour: no [schedstat] here\n" in out


def test_a_reason_of_several_kinds_is_printed_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"kind": kind, "why_not": why} for kind, why in (
        ("kill", "kill: not here"), ("link", None), ("elect", "elect: not here"),
    )]  # fmt: skip
    assert command.reasons(rows) == ["kill, elect: not here"]
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    assert invoke(["faults", "--cluster", "docker"]) == 0
    out = capsys.readouterr().out
    assert out.count("docker: no engine at unix://") == 1
    assert out.splitlines()[-1].startswith("docker: no engine")
