"""Stops and continues a node's process: by signals, or with its whole container."""

import signal
from typing import TYPE_CHECKING, Protocol

from insync.faults.support.cgroup_places import group_of
from insync.faults.support.procfs import is_stopped
from insync.running import Running

if TYPE_CHECKING:
    from insync.brokers.docker.process import ContainerProcess


class Freezer(Protocol):
    """Stops one process, with all its threads; `words` say how."""

    words: str

    @property
    def pid(self) -> int:
        """The process."""

    def stop(self) -> None:
        """Stop it, which may take a moment."""

    def go_on(self) -> None:
        """Continue it; nothing happens if it runs or has ended."""

    def is_stopped(self) -> bool:
        """Whether the kernel says that all of it is stopped."""


class BySignal:
    """A process of this host: SIGSTOP and SIGCONT."""

    words = "SIGSTOP"

    def __init__(self, process: Running) -> None:
        self._process = process

    @property
    def pid(self) -> int:
        """The process."""
        return self._process.pid

    def stop(self) -> None:
        """Send SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Send SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def is_stopped(self) -> bool:
        """Whether each of its threads is stopped."""
        return is_stopped(self.pid)


class ByPause:
    """A container: the engine's pause, which is the kernel's freezer of control groups."""

    words = "the container's pause"

    def __init__(self, container: "ContainerProcess") -> None:
        self._container = container

    @property
    def pid(self) -> int:
        """The container's process."""
        return self._container.pid

    def stop(self) -> None:
        """Pause the container."""
        self._container.pause()

    def go_on(self) -> None:
        """Unpause it."""
        self._container.unpause()

    def is_stopped(self) -> bool:
        """Whether the container's control group is frozen."""
        try:
            group = group_of(self.pid, "freezer")
            if group.unified:
                return "frozen 1" in (group.folder / "cgroup.events").read_text(encoding="ascii")
            state = (group.folder / "freezer.state").read_text(encoding="ascii")
        except OSError:
            return False
        return state.strip() == "FROZEN"
