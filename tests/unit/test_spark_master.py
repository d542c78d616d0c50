"""A Spark master that is unknown or does not answer ends a command before anything is made."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from commands import invoke_refused
from insync import engines
from insync.cli.app import invoke
from insync.engines import require_master
from insync.errors import InputError, InsyncError

COMMANDS = (
    ("run", "control", "--out", "out"),
    ("matrix", "--out", "out"),
    ("report", "nowhere"),
    ("tables", "nowhere", "--into", "out"),
    ("why", "--logs", "nowhere"),
)
NOT_PROBED = ("local", "local[2]", "local[*]", "local[2, 4]", "local[*,4]")
NOT_PROBED += ("local-cluster[2,1,1024]", "yarn", "k8s://https://127.0.0.1:1", "k8s://127.0.0.1:1")
UNKNOWN = (
    *("", "nonsense", "spork://127.0.0.1:7077", "Local", "local[0]", "local[x]", "local[2,0]"),
    *("local-cluster[2,1]", "yarn-client", "mesos://127.0.0.1:5050", "spark://", "k8s://"),
    *("spark://127.0.0.1", "spark://:7077", "spark://host:0", "spark://host:70777"),
    *("spark://host:x", "spark://host:7077/path", "spark://host:7077,", "spark://user@host:7077"),
)


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, so that a test sees any file made by mistake."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def listening(backlog: int = 1) -> Iterator[str]:
    """Listen at a port; yield HOST:PORT."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(backlog)
        yield f"127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def silent() -> Iterator[str]:
    """Yield HOST:PORT of a listener that answers no more connections, because its queue is full."""
    with listening(0) as address, ExitStack() as waiting:
        host, port = address.split(":")
        for _ in range(2):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex((host, int(port)))
        yield address


def closed() -> str:
    """Return HOST:PORT at which nothing listens any more."""
    with listening() as address:
        return address


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_unknown_or_dead_master_and_a_setting_without_a_value_end_a_command_in_one_line(
    command: tuple[str, ...], in_an_empty_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = invoke_refused(capsys, *command, "--spark-master", "spork://127.0.0.1:7077")
    assert line.startswith("insync: --spark-master 'spork://127.0.0.1:7077': expected local, ")
    line = invoke_refused(capsys, *command, "--spark-conf", "spark.x")
    assert line == "insync: --spark-conf 'spark.x': expected KEY=VALUE\n"
    master = f"spark://{closed()}"
    assert invoke([*command, "--spark-master", master]) == 3
    assert capsys.readouterr() == (
        "", f"insync: --spark-master {master}: no answer (Connection refused)\n"
    )  # fmt: skip
    assert list(in_an_empty_folder.iterdir()) == []


def test_a_run_that_is_only_recorded_needs_no_master(capsys: pytest.CaptureFixture[str]) -> None:
    only = ("run", "nonsense", "--record-only", "--spark-master")
    assert "nonsense: no such scenario" in invoke_refused(capsys, *only, f"spark://{closed()}")
    assert "--spark-master 'x': expected local" in invoke_refused(capsys, *only, "x")


@pytest.mark.parametrize("master", NOT_PROBED)
def test_a_master_without_an_address_to_probe_is_accepted(master: str) -> None:
    require_master(master)


@pytest.mark.parametrize("master", UNKNOWN)
def test_a_master_that_spark_does_not_know_is_refused(master: str) -> None:
    with pytest.raises(InputError) as refused:
        require_master(master)
    assert str(refused.value).startswith(f"--spark-master {master!r}: expected local, ")


def test_one_of_several_masters_is_enough() -> None:
    with listening() as address:
        require_master(f"spark://{address}")
        require_master(f"spark://{closed()},{address}")


def test_every_dead_master_is_named_once_with_its_reason() -> None:
    one, other = closed(), closed()
    with pytest.raises(InsyncError) as failed:
        require_master(f"spark://{one},{other}")
    assert not isinstance(failed.value, InputError)
    assert str(failed.value).endswith("no answer (Connection refused)")


def test_a_silent_master_is_awaited_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "WITHIN_S", 0.2)
    with (
        silent() as address,
        pytest.raises(InsyncError, match=rf"^--spark-master spark://{address}: no answer"),
    ):
        require_master(f"spark://{address}")
