"""The engine and its containers on a fake one: what is refused, and what killed harnesses left."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
from docker.errors import APIError, ImageNotFound, NotFound

from insync import owner
from insync.brokers.docker import engine as testcontainers
from insync.brokers.docker import process as process_module
from insync.brokers.docker.engine import docker_errors
from insync.brokers.docker.process import ContainerProcess
from insync.errors import InputError, InsyncError


@pytest.mark.parametrize(
    ("host", "words"),
    [
        *(
            (host, [f"DOCKER_HOST is {host}, expected this host's engine"])
            for host in ("tcp://192.0.2.1:2375", "ssh://somebody@example.org", "/run/x")
        ),
        ("unix://{}/none.sock", ["no engine at unix:///", "apt-get install docker.io"]),
        ("unix://{}/left.sock", ["no answer, expected a running engine"]),
    ],
    ids=["by TCP", "by SSH", "no address", "not installed", "no listener at its socket"],
)
def test_what_is_no_engine_of_this_host_is_refused_in_one_line(
    host: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "left.sock"))
    monkeypatch.setenv(testcontainers.HOST_VARIABLE, host.format(tmp_path))
    with pytest.raises(InputError) as error:
        testcontainers.client()
    assert "\n" not in str(error.value)
    assert all(each in str(error.value) for each in words)


@pytest.mark.parametrize(
    ("kernel", "root", "problem"),
    [
        ("5.4.1-linuxkit", "/", "its kernel is 5.4.1-linuxkit and this host's"),
        (os.uname().release, "/nowhere/docker", "its folder /nowhere/docker is not on this host"),
        (os.uname().release, "/", None),
    ],
)
def test_an_engine_in_a_virtual_machine_or_on_another_host_is_refused(
    kernel: str, root: str, problem: str | None
) -> None:
    facts: dict[str, object] = {"KernelVersion": kernel, "DockerRootDir": root}
    message = testcontainers._elsewhere(facts, os.uname().release)
    assert message is None if problem is None else problem in str(message)


GONE = "1-1"


def refusal(status: int, words: str = "no") -> APIError:
    response = SimpleNamespace(status_code=status, reason="", url="")
    return APIError("refused", response=response, explanation=words)


class FakeContainer:
    """Logs `output`, ends when the test asks for it, and records the calls."""

    def __init__(self, code: int = 0, *, error: Exception | None = None, **labels: str) -> None:
        self.name, self.id, self.status, self.labels = "node-1", "1", "running", labels
        self.attrs: dict[str, Any] = {
            "State": {"Pid": 4711}, "HostConfig": {"Memory": 64 << 20}, "Labels": labels,
        }  # fmt: skip
        self.code = code
        self.end = threading.Event()
        self.asked: list[Any] = []
        self.error = error

    def reload(self) -> None:
        pass

    def logs(self, **_: Any) -> Iterator[bytes]:
        yield from (b"one\n", b"two\n")
        self.end.wait(10)
        if self.error is not None:
            raise self.error

    def wait(self) -> dict[str, int]:
        return {"StatusCode": self.code}

    def kill(self, **how: Any) -> None:
        self._take("kill", *how.values())
        self.end.set()

    def remove(self, **_: Any) -> None:
        self._take("remove")

    def _take(self, *asked: Any) -> None:
        self.asked.append(asked)
        if self.error is not None:
            raise self.error


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 1), (137, -9), (134, -6)])
def test_an_exit_code_is_known_once_the_log_is_complete(
    code: int, expected: int, tmp_path: Path
) -> None:
    container = FakeContainer(code)
    container.attrs["HostConfig"]["Memory"] = 0
    process = ContainerProcess(container, tmp_path / "log")
    assert (process.pid, process.poll()) == (4711, None)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    container.end.set()
    assert process.wait(10) == process.poll() == expected
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"
    process.send_signal(signal.SIGKILL)
    assert container.asked == [], "it has ended"


def ended(container: FakeContainer, folder: Path) -> ContainerProcess:
    """Return the process of a container that has ended."""
    container.end.set()
    return ContainerProcess(container, folder / "log")


def test_a_container_killed_for_its_memory_is_reported_as_such(tmp_path: Path) -> None:
    assert ended(FakeContainer(137), tmp_path).wait(10) == -9
    said = "probably by the kernel: used more than its 64 MiB of memory"
    assert said in (tmp_path / "log").read_text()


@pytest.mark.parametrize(("limit", "by_harness"), [(0, True), (64 << 20, True), (0, False)])
def test_a_kill_is_not_blamed_on_memory_if_it_is_the_harness_own_or_there_is_no_limit(
    limit: int, by_harness: bool, tmp_path: Path
) -> None:
    container = FakeContainer(137)
    container.attrs["HostConfig"]["Memory"] = limit
    process = ContainerProcess(container, tmp_path / "log")
    if by_harness:
        process.send_signal(signal.SIGKILL)
    container.end.set()
    assert process.wait(10) == -9
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


def test_a_container_removed_by_others_counts_as_killed(tmp_path: Path) -> None:
    assert ended(FakeContainer(error=NotFound("gone")), tmp_path).wait(10) == -9


def test_a_stopped_engine_is_an_error_and_not_an_exit_code(tmp_path: Path) -> None:
    process = ended(FakeContainer(error=ConnectionError("refused\nby all")), tmp_path)
    with pytest.raises(InsyncError, match=r"^container node-1: docker: refused by all$"):
        process.wait(10)
    with pytest.raises(InsyncError, match="refused by all"):
        process.poll()


def test_a_signal_to_a_container_that_is_ending_is_ignored(tmp_path: Path) -> None:
    container = FakeContainer()
    process = ContainerProcess(container, tmp_path / "log")
    container.error = refusal(409)
    process.send_signal(signal.SIGKILL)
    container.error = refusal(500, "the engine's own words")
    with pytest.raises(InsyncError, match="node-1: docker: the engine's own words"):
        process.send_signal(signal.SIGKILL)
    container.end.set()


def test_errors_of_the_engine_are_one_line() -> None:
    with (
        pytest.raises(InsyncError, match=r"^broker 1: docker: no space left on device$"),
        docker_errors("broker 1"),
    ):
        raise refusal(500, "no space left\non device\n")


class FakeEngine:
    """A fake engine with a container and a network of each owner, and without any image."""

    def __init__(self, *owners: str, folder: Path = Path()) -> None:
        names = (process_module.OWNER, process_module.LOG)
        labels = [dict(zip(names, (each, str(folder / "log")), strict=True)) for each in owners]
        self.made, self.wires = ([FakeContainer(**each) for each in labels] for _ in range(2))
        for container in self.made:
            container.end.set()
        self.containers = SimpleNamespace(list=lambda **_: self.made)
        self.networks = SimpleNamespace(list=lambda **_: self.wires)
        self.images = Mock(get=Mock(side_effect=ImageNotFound("none")))


def test_only_leftovers_of_dead_harnesses_are_removed(tmp_path: Path) -> None:
    engine: Any = FakeEngine(owner.mine(), GONE, folder=tmp_path)
    process_module.sweep(engine)
    assert [each.asked for each in engine.made] == [[], [("kill",), ("remove",)]]
    assert [each.asked for each in engine.wires] == [[], [("remove",)]]
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


def test_concurrent_removals_are_accepted_and_other_errors_raised(tmp_path: Path) -> None:
    engine: Any = FakeEngine(GONE, folder=tmp_path)
    engine.wires[0].error = refusal(404)
    process_module.sweep(engine)
    engine.wires[0].error = refusal(500)
    with pytest.raises(APIError):
        process_module.sweep(engine)


@pytest.mark.parametrize("has_image", [False, True])
def test_ryuk_starts_only_with_its_image(has_image: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[bool] = []
    monkeypatch.setattr(testcontainers.testcontainers_config, "_ryuk_disabled", None)
    monkeypatch.setattr(testcontainers.Reaper, "get_instance", lambda: started.append(True))
    monkeypatch.setenv(testcontainers.NO_RYUK, "false")
    monkeypatch.setenv(testcontainers.HOST_VARIABLE, "unix:///the/users/own")
    engine: Any = FakeEngine()
    if has_image:
        engine.images.get = Mock()
    testcontainers.prepare(engine)
    assert started == [True] * has_image
    assert os.environ[testcontainers.NO_RYUK] == str(not has_image).lower()
    assert os.environ[testcontainers.HOST_VARIABLE] == "unix:///the/users/own"
