"""Nodes of tests that faults kill and start again: one without a process, one with one."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

from fault_runs import OneNode

Process = subprocess.Popen[bytes]


class Killed(OneNode):
    """A node without a process, which has ended if there is a code; `done` is what was done."""

    def __init__(self, **more: Any) -> None:
        super().__init__(SimpleNamespace(pid=1, poll=lambda: self.exit_code), **more)
        self.exit_code: int | None = None
        self.done: list[str] = []

    def kill(self, _: int) -> None:
        self.exit_code = -9
        self.done.append("kill")

    def restart(self, _: int) -> None:
        self.exit_code = None
        self.done.append("restart")


class Restarted:
    """A script that prints a line when it is up, and may be started again."""

    def __init__(self, *command: str) -> None:
        self.starts = 0
        self._command = [sys.executable, "-c", *command]
        self.start()

    def start(self, _: int = 1) -> None:
        self.starts += 1
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self.process.stdout.readline()

    def kill(self, _: int = 1) -> None:
        self.process.kill()
        self.process.wait(10)

    def node(self, **more: Any) -> OneNode:
        """Return a cluster of this node, with further attributes."""
        made = OneNode(kill=self.kill, restart=self.start, **more)
        made.process = lambda _: self.process  # type: ignore[method-assign]
        return made
