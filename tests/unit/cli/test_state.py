"""`insync state` on a folder whose brokers do not run says what the folder is."""

import json
from pathlib import Path

import pytest

from commands import invoke_refused
from unit.matrix_folder import write_matrix
from unit.run_folder import Story, run_json


@pytest.mark.parametrize(
    ("finished", "problem"),
    [
        (True, "a run that ended at 2026-09-21 14:18 UTC, expected a running arm with the agent;"),
        (False, "a run that was cut short, or whose brokers do not run yet, expected a running"),
    ],
)
def test_a_run_that_is_over_is_said_to_be(
    finished: bool, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run.json").write_text(json.dumps(run_json(Story(finished=finished))))
    line = invoke_refused(capsys, "state", str(tmp_path))
    assert problem in line
    assert line.endswith(f"insync report {tmp_path} shows it\n") is finished


def test_a_matrix_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = invoke_refused(capsys, "state", str(write_matrix(tmp_path)))
    assert "a matrix, expected a running arm with the agent" in line
