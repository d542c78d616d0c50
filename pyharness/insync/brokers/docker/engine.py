"""Find the local Docker engine, or say in one line why there is none to use.

Local is a must, not a habit: brokers in containers share folders with the harness at the
same paths, and faults act on their processes.
"""

import os
from pathlib import Path

import docker
from docker.errors import DockerException

from insync.errors import InputError

HOST_VARIABLE = "DOCKER_HOST"
DEFAULT = "unix:///var/run/docker.sock"
# The longest silence of the engine, such as while a step of a build says nothing.
_SILENCE_S = 180


def client() -> docker.DockerClient:
    """Return a client of the local engine, for the caller to close.

    InputError when no engine answers, it is another machine's, or its containers are not Linux.
    """
    address = os.environ.get(HOST_VARIABLE) or DEFAULT
    scheme, _, path = address.partition("://")
    if scheme != "unix":
        raise InputError(
            f"docker: {HOST_VARIABLE} is {address}, expected this host's engine (unix://...)"
        )
    if not _exists(Path(path)):
        raise InputError(
            f"docker: no engine at {address}, expected one that runs "
            "(Debian and Ubuntu: apt-get install docker.io)"
        )
    return _connected(address)


def _connected(address: str) -> docker.DockerClient:
    try:
        engine = docker.DockerClient(base_url=address, version="auto", timeout=_SILENCE_S)
        facts = engine.info()
    except DockerException as error:
        raise InputError(f"docker: {address}: {_reason(error)}") from error
    problem = _elsewhere(facts, os.uname().release)
    if problem:
        engine.close()
        raise InputError(f"docker: {address}: {problem}, expected this host's own engine")
    return engine


def _reason(error: DockerException) -> str:
    """Return why nobody answers; docker-py says it in the middle of its own story."""
    said = str(error)
    if "Permission denied" in said:
        return "permission denied, expected a user of the group docker"
    if "Connection refused" in said or "No such file" in said:
        return "no answer, expected an engine that runs"
    return f"no engine answers: {said}"


def _elsewhere(facts: dict[str, object], kernel: str) -> str | None:
    """Return what tells that the engine is a virtual machine's or another container's."""
    if facts["KernelVersion"] != kernel:
        return f"its kernel is {facts['KernelVersion']} and this host's {kernel}"
    root = Path(str(facts["DockerRootDir"]))
    if not _exists(root):
        return f"its folder {root} is not on this host"
    return None


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:
        return True  # somebody else's, so it is there
