"""Follow a container's process from its start to its end, and copy its output to a file.

The output comes through the engine, so `docker logs` shows it as well. A thread copies it while
the process runs. When the log ends, the process has ended and its exit code is known, so the
engine need not be polled.
"""

import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import docker
from docker.errors import APIError, DockerException, NotFound

from insync import owner
from insync.brokers.docker.engine import docker_errors, why
from insync.errors import InsyncError

_BY_SIGNAL: Final = 128
_NOT_RUNNING: Final = 409  # the HTTP status of "conflict"


class ContainerProcess:
    """The process of a container; implements `Running`.

    A container that is started again gets a new ContainerProcess, with the log of all starts.
    """

    def __init__(self, container: Any, log: Path) -> None:
        """Follow a container that was just started; copy its output to the file `log`."""
        self._container = container
        self._log = log
        self._ended = threading.Event()
        self._code = 0
        self._killed = False
        self._lost: str | None = None
        with docker_errors(f"container {container.name}"):
            container.reload()
        self.pid = int(container.attrs["State"]["Pid"])
        name = f"insync-{container.name}"
        threading.Thread(target=self._follow, name=name, daemon=True).start()

    def poll(self) -> int | None:
        """Return its exit code, negative for the signal that ended it; None while it runs.

        Raises InsyncError if the engine did not report the exit code.
        """
        return self._exit_code() if self._ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code once it has ended and its log is complete.

        Raises subprocess.TimeoutExpired after `timeout` seconds, InsyncError as `poll` does.
        """
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(self._container.name, timeout or 0)
        return self._exit_code()

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal through the engine; nothing happens if it has ended."""
        if self._ended.is_set():
            return
        self._killed |= sig == signal.SIGKILL
        with docker_errors(f"container {self._container.name}"):
            try:
                self._container.kill(signal=int(sig))
            except APIError as error:
                if error.status_code != _NOT_RUNNING and not isinstance(error, NotFound):
                    raise

    def pause(self) -> None:
        """Stop every process in the container; raises InsyncError."""
        with docker_errors(f"container {self._container.name}"):
            self._container.pause()

    def unpause(self) -> None:
        """Resume its processes; nothing happens if the container has ended or is not paused."""
        if self._ended.is_set():
            return
        with docker_errors(f"container {self._container.name}"):
            self._container.reload()
            if self._container.status == "paused":
                self._container.unpause()

    def set_quota_us(self, period: int, quota: int) -> None:
        """Set period and quota of its CPU time; quota -1 means no limit. Raises InsyncError."""
        with docker_errors(f"container {self._container.name}"):
            self._container.update(cpu_period=period, cpu_quota=quota)

    def _exit_code(self) -> int:
        if self._lost is not None:
            raise InsyncError(f"container {self._container.name}: docker: {self._lost}")
        return self._code

    def _follow(self) -> None:
        try:
            copy_log(self._container, self._log)
            self._code = self._how_it_ended()
        except NotFound:
            self._code = -signal.SIGKILL  # a running container can only be removed by force
        except (DockerException, OSError) as error:
            self._lost = why(error)
        finally:
            self._ended.set()

    def _how_it_ended(self) -> int:
        code = int(self._container.wait()["StatusCode"])
        code = _BY_SIGNAL - code if code > _BY_SIGNAL else code
        self._container.reload()
        limit = self._container.attrs["HostConfig"]["Memory"] >> 20
        if code == -signal.SIGKILL and limit and not self._killed:
            # The engine reports that apart from the end, later, or never if the cgroup is gone.
            by = "not by insync, probably by the kernel"
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"ERROR killed {by}: used more than its {limit} MiB of memory\n")
        return code


def copy_log(container: Any, log: Path) -> None:
    """Copy a container's whole output to the file `log`; return when the container has ended."""
    chunks = container.logs(stream=True, follow=True)
    with log.open("wb", buffering=0) as file:
        for chunk in chunks:
            file.write(chunk)


OWNER: Final = "insync.owner"
CLUSTER: Final = "insync.cluster"
LOG: Final = "insync.log"
# HTTP statuses for things that another harness is removing: "forbidden" (a network that still
# has containers), "not found", "conflict".
_NOT_NOW: Final = (403, 404, 409)


def labels(cluster: str, log: Path | None = None) -> dict[str, str]:
    """Return the labels for parts of this process's `cluster`; only containers have a `log`."""
    named = {OWNER: owner.mine(), CLUSTER: cluster}
    return named if log is None else {**named, LOG: str(log)}


def remove(client: docker.DockerClient, cluster: str) -> None:
    marked = {"label": f"{CLUSTER}={cluster}"}
    for container in client.containers.list(all=True, filters=marked, ignore_removed=True):
        _remove(container, force=True, v=True)
    for network in client.networks.list(filters=marked):
        _remove(network)


def sweep(client: docker.DockerClient) -> None:
    """Remove what ended harnesses left behind; save the logs of their containers first."""
    marked = {"label": OWNER}
    for container in client.containers.list(all=True, filters=marked, ignore_removed=True):
        if owner.is_gone(container.labels[OWNER]):
            _save_log(container)
            _remove(container, force=True, v=True)
    for network in client.networks.list(filters=marked):
        if owner.is_gone(network.attrs["Labels"][OWNER]):
            _remove(network)


def _save_log(container: Any) -> None:
    """Kill a container and save its log in the file that its label names, if possible."""
    with suppress(APIError):  # it has already ended
        container.kill()
    with suppress(DockerException, OSError):  # its folder is gone, or full
        copy_log(container, Path(container.labels[LOG]))


def _remove(thing: Any, **how: bool) -> None:
    try:
        thing.remove(**how)
    except APIError as error:
        if error.status_code not in _NOT_NOW:
            raise
