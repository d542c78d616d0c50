"""Bad usage and bad input give one line on standard error, exit code 2 and no file."""

import json
import signal
from pathlib import Path

import pytest

from commands import invoke_refused, run_python
from insync import __version__
from insync.brokers.cluster import admin
from insync.cli.app import invoke
from insync.faults.registry import KINDS, why_not
from unit.matrix_folder import write_matrix
from unit.run_folder import Story, run_json


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


EXISTING = ("--cluster", "existing", "--bootstrap", "127.0.0.1:9")
STALLED = str(Path(__file__).parents[2] / "data" / "existing" / "stalled.toml")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("control", "--cluster", "existing"), "expected --bootstrap with it"),
        (("control", "--bootstrap", "a:1"), "--bootstrap: expected --cluster existing with it"),
        (("control", "--allow-faults"), "--allow-faults: expected --cluster existing with it"),
        (("control", *EXISTING), "expected --arms with the one arm"),
        (("control", *EXISTING, "--arms", "stock,off"), "expected --arms with the one arm"),
        (("control", *EXISTING, "--arms", "off"), "--arms off: expected --bridges"),
        (("control", *EXISTING, "--arms", "off", "--bridges", "/none"), "--bridges /none: "),
        ((STALLED, *EXISTING, "--arms", "stock"), "injects stall: expected --allow-faults"),
        (
            ("freeze", *EXISTING, "--arms", "stock", "--allow-faults"),
            "freeze injects freeze: expected only kinds that need no node of insync's own",
        ),
        (("kafka-7104", *EXISTING, "--arms", "stock"), "a race, expected a scenario without"),
        (("transactions", *EXISTING, "--arms", "stock"), "or a fault's topic: expected none"),
        (
            ("control", *EXISTING, "--arms", "stock", "--client", "java"),
            "--client java: expected librdkafka",
        ),
        (
            ("control", *EXISTING, "--arms", "stock", "--events-topic", "e"),
            "--events-topic e: expected none",
        ),
        (("control", *EXISTING, "--arms", "stock"), "127.0.0.1:9: no answer"),
    ],
)
def test_what_a_run_on_an_existing_cluster_cannot_do_is_refused_before_it_connects(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    problem: str,
) -> None:
    monkeypatch.setattr(admin, "ANSWERS_WITHIN_S", 0.2)
    assert problem in invoke_refused(capsys, "run", *arguments)


def test_only_kinds_of_the_preloaded_library_act_on_brokers_of_others() -> None:
    possible = {name for name in KINDS if "existing" in KINDS[name].probes}
    assert possible == {"stall", "read-error"}
    assert why_not("kill", "existing", Path()) == "kill: not for --cluster existing"


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
