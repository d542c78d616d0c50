"""The commands print text for people, or one JSON document: of a run, or of all in a folder."""

import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from commands import invoke_json, invoke_refused, run_python
from insync.cli import results
from insync.cli.app import invoke
from insync.cli.output import results_console
from insync.cli.results import show_cells
from insync.cli.state import table
from insync.events.verdict import Cell, Verdict, read_verdict
from insync.metrics import of_verdict
from insync.run import plan
from insync.scenario.load import builtin_names, load
from insync_bridge import PartitionState, PendingMark, ReplicaState
from unit.past.past_folders import write_matrix, write_past
from unit.verdict import made_up


def arm(**metrics: Any) -> Mapping[str, Any]:
    return {"repeats": 2, **{name: [0, 0] for name in of_verdict()}, "evidence": [], **metrics}


def rendered(state: PartitionState) -> str:
    text = io.StringIO()
    Console(width=80, file=text).print(table([state]))
    return text.getvalue()


@pytest.fixture
def fake_analysis(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return what replaces the analysis with a verdict, which it returns as JSON has it."""

    def fake(word: str, **arms: Any) -> Any:
        reason = "stock: [isr_shrinks] is 1, expected at most 0"
        found = made_up.verdict(verdict=word, reason=reason, arms=arms or {"stock": arm()})
        monkeypatch.setattr(results, "show_statistics", lambda *_: None)
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


def test_figures_that_differ_are_shown_arm_beside_arm(
    fake_analysis: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    arms = {"stock": arm(isr_shrinks=[2, 4], lost=[0, None]), "plugin": arm(lost=[0, None])}
    fake_analysis("pass", **arms)
    assert invoke(["report", "run"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "made-up on Kafka 4.3.1, times x 1"
    assert "metric stock plugin" in lines
    assert "ISR shrinks 3 (2 to 4) 0" in lines
    assert not any(line.startswith("lost") for line in lines)
    assert any(line.endswith("figures are equal in every arm") for line in lines)


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
    rows = [" ".join(line.split()) for line in rendered(state).splitlines()]
    assert "events-0 90 *1 yes 100" in rows
    assert "2 yes 7 90 10 95 2400 2500 1 2400" in rows
    assert "3 no - - - - - - 0 -" in rows


def test_a_narrow_terminal_leaves_out_no_digit_of_the_state() -> None:
    follower = ReplicaState(id=2, is_leader=False, in_isr=True, leo=123_456_789, lag_ms=43_210)
    state = PartitionState(
        topic="kip-501-r0", partition=0, leader=1, leader_epoch=3, isr=(1, 2), leo=123_456_789,
        high_watermark=123_456_789, replicas=(follower,),
    )  # fmt: skip
    assert "…" not in rendered(state)


def cell(arm: str, **more: Any) -> Cell:
    """Make a cell of two repeats that are as expected, except for the given fields."""
    known = {"repeats": 2, "isr_shrinks": [0, 0], "under_min_isr_ms": [0, 0],
             "max_ack_gap_ms": [4_100.0, 4_300.0]}  # fmt: skip
    return made_up.cell("freeze", arm, **{**known, **more})


def test_a_matrix_is_a_table_of_scenarios_by_arms_with_unexpected_cells_marked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cells = [
        cell("stock", isr_shrinks=[2, 5], under_min_isr_ms=[100, 300]),
        cell("off", isr_shrinks=[0, None], outcome="unknown", reason="repeat 1: was cut short"),
        cell("read", outcome="fail", reason="repeat 1: [isr_shrinks] was 0, expected at least 1"),
        cell("request", outcome="skipped", reason="no cgroup", repeats=0, max_ack_gap_ms=[]),
    ]
    show_cells(results_console(), cells, Path("/out"), [])
    rows = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "scenario stock off read request" in rows
    (row,) = (row for row in rows if row.startswith("freeze "))
    assert row.startswith("freeze 5 (3.5) / 0.3 (0.2) / 4.3 (4.2) ? unknown: 0 (0) / 0.0 (0.0) / ")
    assert "✗ fail: 0 (0) / " in row
    assert row.endswith(" skipped")


def test_unexpected_cells_are_explained_below_a_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        cell("read", outcome="fail", reason="repeat 1: [isr_shrinks] was 0, expected at least 1"),
        *(cell(arm, outcome="skipped", reason="no cgroup", repeats=0) for arm in ("stock", "off")),
    ]
    console = results_console(as_json=False)
    show_cells(console, cells, Path("/out"), ["4.3.1 off: broker 1 ended"])
    assert " ".join(capsys.readouterr().out.split()).endswith(
        " • freeze, read: fail: repeat 1: [isr_shrinks] was 0, expected at least 1"
        " • freeze, stock, off: skipped: no cgroup"
        " fail: 0 of 1 cells are as expected, 1 fail; 1 of 3 cells judged, 2 skipped;"
        " no cell of stock, off could be judged; more cells were skipped than judged."
        " 4.3.1 off: broker 1 ended matrix: /out/matrix.html"
    )


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


ARM = {name: [0] for name in of_verdict()}


@pytest.fixture
def analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Replace the analysis; return the folders that it is called with."""
    called: list[Path] = []

    def runs(folders: Sequence[Path], *_: object) -> list[Verdict]:
        called.extend(folders)
        return [read_verdict(each) for each in folders]

    monkeypatch.setattr(results, "analyse", runs)
    monkeypatch.setattr(results, "analyse_matrices", lambda folders, *_: called.extend(folders))
    return called


def test_a_folder_of_results_is_analysed_whole(
    tmp_path: Path, analysed: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    first = write_past(tmp_path / "first", stock=ARM)
    second = write_past(tmp_path / "group" / "second", verdict="fail", stock=ARM)
    matrix = write_matrix(tmp_path / "matrix", ["one"], stock=ARM)
    assert invoke(["report", str(tmp_path)]) == 1
    assert analysed == [first, second, matrix]
    text = capsys.readouterr().out
    assert all(f"{folder}/report.html" in text for folder in (first, second))
    assert f"matrix: {matrix}/matrix.html" in text
    documents = invoke_json(capsys, "report", str(tmp_path), codes=(1,))
    assert [document["verdict"] for document in documents[:2]] == ["pass", "fail"]
    assert documents[2][0]["scenario"] == "one"


def test_one_result_below_a_folder_is_the_json_document(
    tmp_path: Path, analysed: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a" / "b" / "run", stock=ARM)
    assert invoke_json(capsys, "report", str(tmp_path))["verdict"] == "pass"


def test_what_cannot_be_read_is_named_and_makes_the_result_unknown(
    tmp_path: Path, analysed: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    good = write_past(tmp_path / "good", stock=ARM)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "run.json").write_text("{")
    assert invoke(["report", str(tmp_path)]) == 3
    assert analysed == [good]
    assert f"insync: {tmp_path}/bad/run.json: the file: Invalid JSON" in capsys.readouterr().err


def test_a_folder_without_results_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = invoke_refused(capsys, "report", str(tmp_path))
    assert "not a run folder, expected run.json or matrix-plan.json in it or up to 3" in line
