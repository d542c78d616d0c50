"""Without a usable Docker engine, one line says why and what was expected."""

import os
import socket
from pathlib import Path

import pytest

from insync.brokers.docker import engine
from insync.errors import InputError


def refused(monkeypatch: pytest.MonkeyPatch, host: str) -> str:
    monkeypatch.setenv(engine.HOST_VARIABLE, host)
    with pytest.raises(InputError) as error:
        engine.client()
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("host", ["tcp://192.0.2.1:2375", "ssh://somebody@example.org", "/run/x"])
def test_an_engine_on_another_host_is_refused_without_a_request(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"DOCKER_HOST is {host}, expected this host's engine" in refused(monkeypatch, host)


def test_without_an_engine_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = refused(monkeypatch, f"unix://{tmp_path}/none.sock")
    assert "no engine at unix:///" in message
    assert "apt-get install docker.io" in message


def test_a_socket_without_a_listener_means_that_the_engine_is_not_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / "left.sock"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(left))
    assert "no answer, expected a running engine" in refused(monkeypatch, f"unix://{left}")


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
    message = engine._elsewhere(facts, os.uname().release)
    assert message is None if problem is None else problem in str(message)
