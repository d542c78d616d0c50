"""The analysis job as a process: its files, its output and its errors."""

import json
import shutil
from pathlib import Path

import pytest

from commands import Done
from insync.analysis import job
from insync.analysis.engine import session
from insync.analysis.tables import current
from unit.run_folder import append


@pytest.fixture
def analysed_run(made_up_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the analysed run; its tables are current, because the files' times stay."""
    return shutil.copytree(made_up_folder, tmp_path / "run")


def test_a_run_gets_its_tables_verdict_and_report(made_up_analysis: tuple[Path, Done]) -> None:
    run, done = made_up_analysis
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{run / 'report.html'}\n", "")
    assert json.loads((run / "verdict.json").read_text())["verdict"] == "pass"
    made = {path.name for path in (run / "tables").iterdir()}
    assert made == {"_insync.json", "bronze", "silver", "gold"}


def test_tables_of_unchanged_events_are_used_without_an_engine(
    analysed_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = analysed_run
    verdict = json.loads((run / "verdict.json").read_text())
    for name in ("verdict.json", "report.html"):
        (run / name).unlink()

    def no_session(*_: object) -> None:
        raise AssertionError("an engine was started")

    monkeypatch.setattr(session, "open_session", no_session)
    assert job.main([str(run)]) == 0
    assert json.loads((run / "verdict.json").read_text()) == verdict
    assert (run / "report.html").is_file()
    for again in (["--recompute"], []):
        assert job.main([str(run), *again]) == 3
        assert "AssertionError: an engine was started" in capsys.readouterr().err
        append(run / "events/stock/phases.jsonl", [{"type": "note"}])


def test_tables_of_another_version_of_the_program_are_not_used(
    analysed_run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = job.parse_job([str(analysed_run)])
    assert str(job.places(asked)[0].engine).startswith("Sail ")
    with monkeypatch.context() as patched:
        patched.setattr(current, "code_digest", lambda: "changed")
        assert job.places(asked)[0].engine is None
    (analysed_run / "tables" / "_insync.json").write_text("{")
    assert job.places(asked)[0].engine is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "not a run folder (run.json: No such file or directory)"),
        ("{", "run.json: the file: Invalid JSON"),
        ('{"kafka": 4}', "run.json: scenario_name: Field required"),
    ],
)
def test_a_folder_that_is_no_run_is_refused_before_an_engine_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "run.json").write_text(content)
    assert job.main([str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_a_setting_without_a_value_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert job.main([str(tmp_path), "--spark-conf", "spark.x"]) == 2
    assert capsys.readouterr().err == "insync: --spark-conf 'spark.x': expected KEY=VALUE\n"
