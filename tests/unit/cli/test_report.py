"""`insync report` finds the runs and matrices of a folder, and prints them all."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from commands import invoke_json, invoke_refused
from insync.cli import results
from insync.cli.app import invoke
from insync.events.verdict import Verdict, read_verdict
from insync.metrics import of_verdict
from unit.past.past_folders import write_matrix, write_past

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
