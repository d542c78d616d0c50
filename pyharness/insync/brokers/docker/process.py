"""A container's process from one start to its end, and the file that gets all it prints.

The log comes through the engine, so that `docker logs` shows it as well. A thread copies it as
it is printed; where the log ends, the process has, and its exit code is known by then: nobody
needs to ask the engine again and again.
"""

import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Final

from docker.errors import APIError, DockerException, NotFound

from insync.brokers.docker.engine import docker_errors, why
from insync.errors import InsyncError

_BY_SIGNAL: Final = 128
_NOT_RUNNING: Final = 409  # the HTTP status of "conflict"


class ContainerProcess:
    """What runs in a container; a `Running`.

    A container that is started again gets a new one, with the log of all its starts.
    """

    def __init__(self, container: Any, log: Path) -> None:
        """Follow a container that was just started, and print into the file `log`."""
        self._container = container
        self._log = log
        self._ended = threading.Event()
        self._code = 0
        self._lost: str | None = None
        with docker_errors(f"container {container.name}"):
            container.reload()
        self.pid = int(container.attrs["State"]["Pid"])
        name = f"insync-{container.name}"
        threading.Thread(target=self._follow, name=name, daemon=True).start()

    def poll(self) -> int | None:
        """Return its exit code, negative for the signal that ended it; None while it runs.

        Raises InsyncError where the engine did not tell.
        """
        return self._exit_code() if self._ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code once it has ended and its log is whole; else as `Running`."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired(self._container.name, timeout or 0)
        return self._exit_code()

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal through the engine; nothing happens if it has ended."""
        if self._ended.is_set():
            return
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
        """Let them go on; nothing happens if the container has ended or is not paused."""
        if self._ended.is_set():
            return
        with docker_errors(f"container {self._container.name}"):
            self._container.reload()
            if self._container.status == "paused":
                self._container.unpause()

    @property
    def quota_us(self) -> tuple[int, int]:
        """The period and the quota of its CPU time in microseconds; 0 for the engine's own."""
        with docker_errors(f"container {self._container.name}"):
            self._container.reload()
        host = self._container.attrs["HostConfig"]
        return int(host["CpuPeriod"]), int(host["CpuQuota"])

    def set_quota_us(self, period: int, quota: int) -> None:
        """Change what `quota_us` says, at once; a quota of -1 is none. Raises InsyncError."""
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
            self._code = -signal.SIGKILL  # somebody removed it: that takes force
        except (DockerException, OSError) as error:
            self._lost = why(error)
        finally:
            self._ended.set()

    def _how_it_ended(self) -> int:
        code = int(self._container.wait()["StatusCode"])
        self._container.reload()
        if self._container.attrs["State"]["OOMKilled"]:
            limit = self._container.attrs["HostConfig"]["Memory"] >> 20
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"ERROR killed by the kernel: beyond its {limit} MiB of memory\n")
        return _BY_SIGNAL - code if code > _BY_SIGNAL else code


def copy_log(container: Any, log: Path) -> None:
    """Write all that a container has printed into the file `log`, and what it will to its end."""
    chunks = container.logs(stream=True, follow=True)
    with log.open("wb", buffering=0) as file:
        for chunk in chunks:
            file.write(chunk)
