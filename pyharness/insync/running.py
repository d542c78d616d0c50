"""Define the interface of a running node's process, a child process or a container's."""

from typing import Protocol


class Running(Protocol):
    """A node's process; `subprocess.Popen` is one."""

    @property
    def pid(self) -> int:
        """Its process id on this host."""

    def poll(self) -> int | None:
        """Return its exit code, negative for the signal that ended it; None while it runs."""

    def send_signal(self, sig: int, /) -> None:
        """Send it a signal; nothing happens if it has ended."""

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code once it has ended.

        Raises subprocess.TimeoutExpired if that takes longer than `timeout` seconds.
        """
