"""Errors of insync itself exit with 3, never with 1, which is the code of "fail"."""

import errno
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from commands import INSYNC
from insync.analysis import job
from insync.cli.app import invoke
from insync.engine import worker
from insync.errors import InputError
from insync.events.writer import write_atomic
from insync_bridge import BridgeError

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
LINE = "insync: OSError: [Errno 28] No space left on device\n"


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> int:
    monkeypatch.setattr("insync.cli.state.partitions", Mock(side_effect=error))
    return invoke(["state", ".", "--json"])


def test_an_unexpected_error_is_unknown_and_keeps_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(monkeypatch, KeyError("planted")) == 3
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "insync: an error of insync itself: KeyError: 'planted'"


@pytest.mark.parametrize(
    ("error", "line"),
    [(FULL, LINE), (BridgeError("bridge of broker 1: planted"), "insync: bridge of broker 1: p")],
)
def test_what_the_machine_refuses_is_one_line_and_unknown(
    error: Exception, line: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(monkeypatch, error) == 3
    written = capsys.readouterr().err
    assert written.startswith(line)
    assert written.count("\n") == 1


@pytest.mark.parametrize(
    ("error", "code", "last"),
    [
        (FULL, 3, LINE),
        (InputError("planted"), 2, "insync: planted\n"),
        (ValueError("planted"), 3, "insync: an error of insync itself: ValueError: planted\n"),
    ],
)
def test_the_analysis_reports_the_same_codes(
    error: Exception, code: int, last: str,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(job, "parse_job", Mock(side_effect=error))
    assert job.main([]) == code
    written = capsys.readouterr().err
    assert written.endswith(last)
    assert ("Traceback" in written) is isinstance(error, ValueError)


def test_a_matrix_task_on_a_full_disk_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    named = SimpleNamespace(name="4.3.1 stock", cells=())
    (tmp_path / "task.json").touch()
    monkeypatch.setattr(worker.Task, "model_validate_json", lambda _: named)
    monkeypatch.setattr(worker, "WorkerProgress", lambda *_: None)
    monkeypatch.setattr(worker, "find_tools", Mock(side_effect=FULL))
    assert worker.main([str(tmp_path / "task.json")]) == 3
    expected = "insync: 4.3.1 stock: [Errno 28] No space left on device\n"
    assert capsys.readouterr().err == expected


def test_a_full_disk_is_one_line_that_names_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".page.html.new").symlink_to("/dev/full")
    page = tmp_path / "page.html"
    monkeypatch.setattr("insync.cli.state.partitions", lambda *_: write_atomic(page, "text"))
    assert invoke(["state", ".", "--json"]) == 3
    expected = f"insync: OSError: [Errno 28] No space left on device: '{page}'\n"
    assert capsys.readouterr().err.endswith(expected)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_one_line(unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [INSYNC, "--version"], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    where = "" if unbuffered else "standard output: "
    assert (done.returncode, done.stderr) == (3, LINE.replace("insync: ", f"insync: {where}"))
