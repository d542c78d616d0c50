"""Bad usage and bad input give one line on standard error, exit code 2 and no file."""

import signal
from pathlib import Path

import pytest

from commands import invoke_refused, run_python
from insync import __version__
from insync.cli.app import invoke


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, so that a test sees any file made by mistake."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["run"], "Missing argument"),
        (["run", "nonsense"], "nonsense: no such scenario, expected a file or one of: active-"),
        (["run", "kip-501", "--nonsense"], "No such option: --nonsense"),
        (["run", "kip-501", "--scale", "x"], "Invalid value for '--scale'"),
        (["run", "kip-501", "--scale", "0"], "kip-501: scale 0: expected at least 0.05"),
        (["run", "kip-501", "--scale", "0.01"], "scale 0.01: broker.replica_lag_time_max_ms: 100"),
        (["run", "kip-501", "--repeat", "0"], "repeats: 0, expected at least 1"),
        (["run", "kip-501", "--arms", "stok"], "arms[0]: 'stok', expected 'stock', 'off', 'read'"),
        (["run", "kip-501", "--arms", "stock,"], "arms[1]: '', expected 'stock', 'off', 'read'"),
        (["run", "kip-501", "--spark-conf", "x"], "--spark-conf 'x': expected KEY=VALUE"),
        (["report", "nowhere"], "nowhere: not a run folder (run.json: No such file or directory)"),
        (["state", "nowhere"], "connection file nowhere: No such file or directory"),
        (["state", "."], ".: no connection file, expected a running arm with the agent"),
        (["image", "build", "--kafka", "4.3.1,5"], "kafka: unknown version '5', expected one of"),
        (["state", ".", "--watch", "--json"], "--watch and --json: expected one of them"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(
    arguments: list[str], problem: str, in_an_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert problem in invoke_refused(capsys, *arguments)
    assert list(in_an_empty_folder.iterdir()) == []


def test_the_output_folder_must_be_new_or_empty(
    in_an_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (in_an_empty_folder / "out").mkdir()
    (in_an_empty_folder / "out" / "file").touch()
    run = ("run", "control", "--arms", "stock", "--out")
    for out, problem in (("out", "out: not empty"), ("out/file", "file: a file")):
        line = invoke_refused(capsys, *run, out)
        assert f"{problem}, expected a new or an empty folder" in line


@pytest.mark.parametrize(
    "command",
    [
        *([], ["run"], ["scenarios"], ["report"], ["agent"], ["state"], ["overhead"]),
        *(["image"], ["image", "build"], ["image", "list"]),
    ],
)
def test_every_command_has_help_with_an_example(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke([*command, "--help"]) == 0
    assert "insync " + " ".join(command) in capsys.readouterr().out.partition("Example")[2]


@pytest.mark.parametrize("group", [[], ["image"]])
def test_help_is_printed_by_default(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(group) == 2
    alone = capsys.readouterr()
    assert invoke([*group, "--help"]) == 0
    assert (alone.out, alone.err) == (capsys.readouterr().out, "")


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"insync {__version__}\n"


@pytest.mark.parametrize("command", ["build", "list"])
def test_without_an_engine_the_error_says_what_to_install(
    command: str,
    in_an_empty_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{in_an_empty_folder}/docker.sock")
    line = invoke_refused(capsys, "image", command)
    assert line.startswith(f"insync: docker: no engine at unix://{in_an_empty_folder}/docker.sock")


def test_an_interrupt_while_modules_are_imported_prints_nothing() -> None:
    script = """
import os, signal, sys
import insync.cli

class Interrupting:
    def find_spec(self, name, *_):
        if name == "insync.cli.app":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting())
insync.cli.main()
"""
    done = run_python("-c", script)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")
