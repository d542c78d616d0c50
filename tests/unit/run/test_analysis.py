"""The analysis runs as a separate process; a verdict counts only if that process succeeded."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock, call

import pytest

from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import MatrixInfo, MatrixRow, save_matrix
from insync.events.verdict import read_verdict, write_verdict
from insync.progress import Progress
from insync.run import analysis
from unit.run_folder import Story, run_json
from unit.verdict.made_up import verdict

LOCAL = AnalysisOptions()
Stage = Callable[[str], None]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run.json").write_text(json.dumps(run_json(Story())))
    write_verdict(tmp_path, verdict())
    return tmp_path


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Return what replaces `python` with a script; it gets the analysis's arguments."""
    program = tmp_path / "stage"

    def made(script: str) -> None:
        program.write_text(f"#!{sys.executable}\nimport os, sys\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(program))

    return made


def test_the_analysis_gets_folder_and_engine(run: Path, stage: Stage) -> None:
    given = run / "arguments.json"
    stage(f"import json; json.dump(sys.argv[1:-1], open({str(given)!r}, 'w'))")
    asked = AnalysisOptions(engine="spark", master="local[1]", conf={"a": "b", "c": "d"})
    assert analysis.analyse([run], asked, Progress()) == [verdict()]
    assert json.loads(given.read_text()) == [
        "-m", "insync.analysis.job", str(run), "--engine", "spark", "--spark-master",
        "local[1]", "--spark-conf", "a=b", "--spark-conf", "c=d", "--progress",
    ]  # fmt: skip


def test_stages_of_the_analysis_are_progress(run: Path, stage: Stage) -> None:
    stage(
        "print('noise'); file = open(sys.argv[-1], 'w')\n"
        """file.write('{"phase": "bronze"}\\n{"phase": "tables"}\\n{"phase": "cut')"""
    )
    progress = Mock(spec=Progress)
    analysis.analyse([run], LOCAL, progress)
    _, *parts = progress.mock_calls
    assert parts == [call.phase("analysis: bronze"), call.phase("analysis: tables")]


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("print('no memory'); sys.exit(3)", "ended with 3: no memory"),
        ("sys.exit(1)", r"ended with 1: no output; \d+ bytes are free in /"),
        ("os.remove(sys.argv[3] + '/verdict.json')", r"\(verdict\.json: .*, expected the verdict"),
        ("open(sys.argv[3] + '/verdict.json', 'w').write('[]')", "expected the verdict of an anal"),
    ],
)
def test_a_failed_analysis_or_one_without_a_verdict_is_no_pass(
    run: Path, stage: Stage, script: str, problem: str
) -> None:
    stage(script)
    with pytest.raises(InsyncError, match=problem):
        analysis.analyse([run], LOCAL, Progress())
    assert "exit" not in script or read_verdict(run) == verdict(), "the old one is still there"


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    row = MatrixRow(kafka="4.3.1", scenario="freeze", summary="", arms=("stock",), folder="a")
    save_matrix(tmp_path, MatrixInfo(rows=(row,)))
    (tmp_path / "matrix.html").touch()
    (tmp_path / "matrix.json").write_text("[]")
    return tmp_path


def test_a_matrix_is_analysed_as_one_folder(matrix: Path, stage: Stage) -> None:
    argument = matrix / "argument"
    stage(f"open({str(argument)!r}, 'w').write(sys.argv[3])")
    analysis.analyse_matrices([matrix], LOCAL, Progress())
    assert argument.read_text() == str(matrix)


def test_an_old_page_of_a_matrix_is_not_mistaken_for_a_new_one(matrix: Path, stage: Stage) -> None:
    stage("print('no memory'); sys.exit(3)")
    with pytest.raises(InsyncError, match="ended with 3: no memory"):
        analysis.analyse_matrices([matrix], LOCAL, Progress())


def test_a_folder_without_a_run_or_without_a_matrix_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a run folder"):
        analysis.analyse([tmp_path], LOCAL, Progress())
    with pytest.raises(InputError, match="not a matrix folder"):
        analysis.analyse_matrices([tmp_path], LOCAL, Progress())
