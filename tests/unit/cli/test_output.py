"""The commands print text for people, or one JSON document."""

import io
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from commands import invoke_json, invoke_refused, run_python
from insync.cli import results
from insync.cli.app import invoke
from insync.cli.output import results_console
from insync.cli.results import arms_table, grid_table, show_cells
from insync.cli.state import table
from insync.events.verdict import Cell, Verdict
from insync.report.matrix.cells import grids
from insync.run import plan
from insync.scenario.load import builtin_names, load
from insync_bridge import PartitionState, PendingMark, ReplicaState
from unit.verdict import made_up


def arm(**metrics: Any) -> Mapping[str, Any]:
    """Make an arm of a verdict with two unremarkable repeats."""
    return {
        "repeats": 2, "isr_shrinks": [0, 0], "min_isr_size": [3, 3], "under_min_isr_ms": [0, 0],
        "offline_ms": [0, 0], "max_ack_gap_ms": [50.0, 60.0], "acked": [100, 110],
        "lost": [0, 0], "duplicated": [0, 0], "evidence": [], "agent_errors": [],
        **metrics,
    }  # fmt: skip


def verdict(word: str) -> Verdict:
    """Make a verdict of one arm."""
    reason = "stock: [isr_shrinks] is 1, expected at most 0"
    return made_up.verdict(verdict=word, reason=reason, arms={"stock": arm()})


def rendered(renderable: object) -> str:
    """Return a table's text at 80 columns."""
    text = io.StringIO()
    Console(width=80, file=text).print(renderable)
    return text.getvalue()


@pytest.fixture
def fake_analysis(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Return what replaces the analysis with a verdict, which it returns as JSON has it."""

    def fake(word: str) -> Any:
        found = verdict(word)
        monkeypatch.setattr(results, "analyse", lambda folders, *_: [found] * len(folders))
        monkeypatch.setattr(results, "load_run", lambda _: None)
        monkeypatch.setattr(results, "clusters_of", lambda *_: {})
        return json.loads(found.model_dump_json())

    return fake


@pytest.mark.parametrize(("word", "code"), [("pass", 0), ("fail", 1), ("unknown", 3)])
def test_the_verdict_is_the_exit_code(
    word: str, code: int, fake_analysis: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    fake_analysis(word)
    assert invoke(["report", "run"]) == code
    printed = capsys.readouterr()
    assert f"{word}: stock: [isr_shrinks] is 1, expected at most 0\n" in printed.out
    assert "report: run/report.html" in printed.out
    assert "ISR" not in printed.err


def test_json_is_one_document_on_standard_output(
    fake_analysis: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = fake_analysis("pass")
    assert invoke(["report", "run", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == found
    assert "report: run/report.html" in printed.err


def test_several_folders_give_one_document_with_each_verdict(
    fake_analysis: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    found = fake_analysis("unknown")
    assert invoke_json(capsys, "report", "one", "two", codes=(3,)) == [found, found]


def test_the_summary_shows_repeats_side_by_side_and_adds_up_records() -> None:
    held = {"calls_held": 2, "held_ms": 9_950.0}
    text = rendered(
        arms_table(
            {
                "stock": arm(
                    isr_shrinks=[2, 3], max_ack_gap_ms=[5_100, 5_240], evidence=[held] * 2
                ),
                "plugin": arm(
                    isr_shrinks=[0, None],
                    lost=[0, None],
                    evidence=[{"calls_held": 0, "held_ms": 0, "acted_ms": 3_990.0}] * 2,
                ),
            },
            "kip-501",
        )
    )
    stock = next(line for line in text.splitlines() if "stock" in line)
    plugin = next(line for line in text.splitlines() if "plugin" in line)
    assert " ".join(stock.split()) == "stock 2 3 3 3 0.0 0.0 5.1 5.2 210 0 0 4 held, 20 s"
    assert " ".join(plugin.split()) == "plugin 0 - 3 3 0.0 0.0 0.1 0.1 210 - 0 8 s"


def test_the_state_shows_each_replica_as_its_leader_sees_it() -> None:
    follower = ReplicaState(
        id=2, is_leader=False, in_isr=True, log_start_offset=7, leo=90, last_fetch_leader_leo=95,
        last_fetch_ms=101, last_caught_up_ms=1, lag_ms=2_500,
        pending=(PendingMark(offset=90, leader_epoch=3, age_ms=2_400),),
    )  # fmt: skip
    state = PartitionState(
        topic="events", partition=0, leader=1, leader_epoch=3, isr=(1, 2), leo=100,
        high_watermark=90,
        replicas=(
            ReplicaState(id=1, is_leader=True, in_isr=True),
            follower,
            ReplicaState(id=3, is_leader=False, in_isr=False, known=False),
        ),
    )  # fmt: skip
    rows = [" ".join(line.split()) for line in rendered(table([state])).splitlines()]
    assert "events-0 90 *1 yes 100" in rows
    assert "2 yes 7 90 10 95 2400 2500 1 2400" in rows
    assert "3 no - - - - - - 0 -" in rows


def test_a_narrow_terminal_leaves_out_no_digit_of_the_state() -> None:
    follower = ReplicaState(id=2, is_leader=False, in_isr=True, leo=123_456_789, lag_ms=43_210)
    state = PartitionState(
        topic="kip-501-r0", partition=0, leader=1, leader_epoch=3, isr=(1, 2), leo=123_456_789,
        high_watermark=123_456_789, replicas=(follower,),
    )  # fmt: skip
    assert "…" not in rendered(table([state]))


def cell(arm: str, **more: Any) -> Cell:
    """Make a cell of two repeats that are as expected, except for the given fields."""
    known = {"repeats": 2, "isr_shrinks": [0, 0], "under_min_isr_ms": [0, 0],
             "max_ack_gap_ms": [4_100.0, 4_300.0]}  # fmt: skip
    return made_up.cell("freeze", arm, **{**known, **more})


def test_a_matrix_is_a_table_of_sites_by_arms_with_unexpected_cells_marked() -> None:
    cells = [
        cell("stock", isr_shrinks=[2, 5], under_min_isr_ms=[100, 300]),
        cell("off", isr_shrinks=[0, None], outcome="unknown", reason="repeat 1: was cut short"),
        cell("read", outcome="fail", reason="repeat 1: [isr_shrinks] was 0, expected at least 1"),
        cell("request", outcome="skipped", reason="no cgroup", repeats=0, max_ack_gap_ms=[]),
    ]
    (grid,) = grids(cells)
    rows = [" ".join(line.split()) for line in rendered(grid_table(grid)).splitlines()]
    assert "stall stock off read request" in rows
    at = rows.index("freeze 5 (3.5) ? 0 (0) ✗ 0 (0) \u2013 skipped")
    assert rows[at + 1 : at + 3] == [
        "0.3 (0.2) 0.0 (0.0) 0.0 (0.0)",
        "4.3 (4.2) 4.3 (4.2) 4.3 (4.2)",
    ]
    (grid,) = grids([cell("stock", repeats=1, isr_shrinks=[2])])
    assert "2/0.0/4.3" in rendered(grid_table(grid))


def test_unexpected_cells_of_a_matrix_are_explained_below_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = [
        cell("read", outcome="fail", reason="repeat 1: [isr_shrinks] was 0, expected at least 1"),
        *(cell(arm, outcome="skipped", reason="no cgroup", repeats=0) for arm in ("stock", "off")),
    ]
    console = results_console(as_json=False)
    show_cells(console, cells, Path("/out"), ["4.3.1 off: broker 1 ended"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-5:] == [
        "freeze, read: fail: repeat 1: [isr_shrinks] was 0, expected at least 1",
        "freeze, stock, off: skipped: no cgroup",
        "4.3.1 off: broker 1 ended",
        "fail: 0 of 1 cells are as expected, 1 fail; 1 of 3 cells judged, 2 skipped;"
        " no cell of stock, off could be judged; more cells were skipped than judged",
        "matrix: /out/matrix.html",
    ]


def test_a_scenario_is_printed_as_its_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert invoke(["scenarios", "kip-501"]) == 0
    (tmp_path / "copy.toml").write_text(capsys.readouterr().out)
    assert load(str(tmp_path / "copy.toml")) == load("kip-501")
    assert invoke_json(capsys, "scenarios", "kip-501")["name"] == "kip-501"
    refused = invoke_refused(capsys, "scenarios", "kip-50")
    assert refused.startswith("insync: kip-50: no such scenario (did you mean 'kip-501'?)")


def test_scenarios_are_listed_one_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["scenarios"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == builtin_names()
    names = [scenario["name"] for scenario in invoke_json(capsys, "scenarios")]
    assert names == builtin_names()


def test_the_agent_command_prints_the_jars_path_and_the_jvm_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jar = tmp_path / "insync-agent.jar"
    monkeypatch.setattr(plan, "AGENT_JAR", jar)
    monkeypatch.setattr(plan, "LAB_JAR", Path(__file__))
    assert "insync-agent.jar: not built" in invoke_refused(capsys, "agent")
    jar.touch()
    assert invoke(["agent"]) == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0] == str(jar)
    assert f'-javaagent:{jar}"' in printed, "without the lab"
    assert invoke_json(capsys, "agent")["jar"] == str(jar)


def test_the_harness_never_imports_spark() -> None:
    script = (
        "import sys, insync.cli.results, insync.cli.state, insync.run.runner\n"
        "sys.exit('pyspark' in sys.modules)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path)}
    assert run_python("-c", script, env=environment).returncode == 0
