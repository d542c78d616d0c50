"""Without a usable Docker engine, one line says why and what was expected."""

import os
import socket
from pathlib import Path

import pytest

from insync.brokers.docker import engine
from insync.errors import InputError


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
    monkeypatch.setenv(engine.HOST_VARIABLE, host.format(tmp_path))
    with pytest.raises(InputError) as error:
        engine.client()
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
    message = engine._elsewhere(facts, os.uname().release)
    assert message is None if problem is None else problem in str(message)
