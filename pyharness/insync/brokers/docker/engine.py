"""Find the local Docker engine, connect to it, and turn its errors into one line each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import docker
from docker.errors import APIError, DockerException, ImageNotFound
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import Reaper

from insync.errors import InputError, InsyncError


@contextmanager
def docker_errors(what: str) -> Iterator[None]:
    """Convert Docker errors and timeouts inside the block to InsyncError: `what`, and why."""
    try:
        yield
    except (DockerException, OSError) as error:  # of its connection: OSErrors of `requests`
        raise InsyncError(f"{what}: docker: {why(error)}") from error


def why(error: Exception) -> str:
    """Return the engine's own explanation in one line, without the refused request."""
    reason = error.explanation if isinstance(error, APIError) and error.explanation else error
    return " ".join(str(reason).split())


NO_RYUK: Final = "TESTCONTAINERS_RYUK_DISABLED"


def prepare(client: docker.DockerClient) -> None:
    """Make Testcontainers ready in this process; a second call does nothing.

    Call this before starting containers in parallel: otherwise each start begins its own Ryuk.
    """
    # By default it follows the docker command's current context, which may be another engine.
    os.environ.setdefault(HOST_VARIABLE, DEFAULT)
    try:
        client.images.get(testcontainers_config.ryuk_image)
    except ImageNotFound:
        os.environ[NO_RYUK] = "true"
    if not testcontainers_config.ryuk_disabled:
        Reaper.get_instance()


HOST_VARIABLE = "DOCKER_HOST"
DEFAULT = "unix:///var/run/docker.sock"
# How long to wait for the engine to send anything; a build step may print nothing for long.
_SILENCE_S = 180


def client() -> docker.DockerClient:
    """Return a client of the local engine; the caller closes it.

    Raises InputError when no engine answers, when it runs on another machine, or when its
    containers are not Linux.
    """
    address = os.environ.get(HOST_VARIABLE) or DEFAULT
    scheme, _, path = address.partition("://")
    if scheme != "unix":
        raise InputError(
            f"docker: {HOST_VARIABLE} is {address}, expected this host's engine (unix://...)"
        )
    if not _exists(Path(path)):
        raise InputError(
            f"docker: no engine at {address}, expected a running one "
            "(Debian and Ubuntu: apt-get install docker.io)"
        )
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
    """Return why the engine does not answer; docker-py hides the reason inside a long message."""
    reason = str(error)
    if "Permission denied" in reason:
        return "permission denied, expected a user of the group docker"
    if "Connection refused" in reason or "No such file" in reason:
        return "no answer, expected a running engine"
    return f"no engine answers: {reason}"


def _elsewhere(facts: dict[str, object], kernel: str) -> str | None:
    """Return the sign that the engine runs in a virtual machine or a container, or None."""
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
        return True  # it exists but belongs to another user
