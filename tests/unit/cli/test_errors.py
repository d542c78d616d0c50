"""Bad usage and bad input: one line on standard error, exit 2, nothing made."""

from pathlib import Path

import pytest

from insync import __version__
from insync.cli.app import invoke


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, so that a file made by mistake shows."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "Missing command"),
        (["nonsense"], "No such command 'nonsense'"),
        (["run"], "Missing argument"),
        (["run", "nonsense"], "nonsense: no such scenario, expected a file or one of: all-slow, "),
        (["run", "kip-501", "--nonsense"], "No such option: --nonsense"),
        (["run", "kip-501", "--scale", "x"], "Invalid value for '--scale'"),
        (["run", "kip-501", "--scale", "0"], "kip-501: scale 0: expected more than 0"),
        (["run", "kip-501", "--scale", "0.01"], "scale 0.01: broker.replica_lag_time_max_ms: 100"),
        (["run", "kip-501", "--repeat", "0"], "repeats: 0, expected at least 1"),
        (["run", "kip-501", "--arms", "stok"], "arms[0]: 'stok', expected 'stock', 'off', 'read'"),
        (["run", "kip-501", "--arms", "stock,"], "arms[1]: '', expected 'stock', 'off', 'read'"),
        (["run", "kip-501", "--spark-conf", "x"], "--spark-conf 'x': expected KEY=VALUE"),
        (["report", "nowhere"], "nowhere: not a run folder: run.json: No such file or directory"),
        (["state", "nowhere"], "connection file nowhere: No such file or directory"),
        (["state", "."], ".: no connection file, expected a running arm with the agent"),
        (["bench"], "Missing command"),
        (["image"], "Missing command"),
        (["image", "build", "--kafka", "4.3.1,5"], "kafka: unknown version '5', expected one of"),
        (["state", ".", "--watch", "--json"], "--watch and --json: expected one of them"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    arguments: list[str], problem: str, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke(arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("insync: ")
    assert problem in said.err
    assert said.err.count("\n") == 1
    assert list(elsewhere.iterdir()) == []


def test_the_output_folder_must_be_new_or_empty(
    elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (elsewhere / "out").mkdir()
    (elsewhere / "out" / "file").touch()
    assert invoke(["run", "control", "--arms", "stock", "--out", "out"]) == 2
    assert "out: not empty, expected a new or an empty folder" in capsys.readouterr().err
    assert invoke(["run", "control", "--arms", "stock", "--out", "out/file"]) == 2
    assert "file: a file, expected a new or an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        *([], ["run"], ["scenarios"], ["report"], ["agent"], ["state"], ["bench"]),
        *(["bench", "tracker"], ["image"], ["image", "build"], ["image", "list"]),
    ],
)
def test_every_command_has_help_with_an_example(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert invoke([*command, "--help"]) == 0
    assert "insync " + " ".join(command) in capsys.readouterr().out.partition("Example")[2]


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert invoke(["--version"]) == 0
    assert capsys.readouterr().out == f"insync {__version__}\n"


def test_without_the_benchmarks_jar_one_line_says_how_to_get_it(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("insync.bench.jmh.BENCH_JAR", elsewhere / "insync-bench.jar")
    assert invoke(["bench", "tracker"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("insync: insync-bench.jar: not in ")
    assert "expected a checkout of insync in which `make bench` has built it" in said
    assert said.count("\n") == 1
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("command", ["build", "list"])
def test_without_an_engine_one_line_says_what_to_install(
    command: str,
    elsewhere: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{elsewhere}/docker.sock")
    assert invoke(["image", command]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"insync: docker: no engine at unix://{elsewhere}/docker.sock")
    assert said.err.count("\n") == 1
