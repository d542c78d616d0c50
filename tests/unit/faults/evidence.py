"""Nodes that faults end, what faults leave as evidence, and scenarios with one fault."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import OneNode, fault_tables
from insync.errors import InputError
from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.registry import KINDS
from insync.scenario.load import parse, source


@dataclass(frozen=True)
class Seen:
    figures: Mapping[str, float]
    acted_ms: float = 100.0
    calls_held: int = 0


def acted(fault: Fault[Any]) -> FaultLine:
    """Prepare a fault, inject it and lift it at once, and again; return its evidence."""
    fault.prepare()
    fault.inject()
    fault.lift()
    fault.lift()
    return fault.evidence()


def lacks(kind: str, figures: Mapping[str, float], **keys: Any) -> str | None:
    """Return what these figures do not show of a fault with these keys; None if they show it."""
    plan = PlannedFault.model_validate({"kind": kind, "broker": 1, "for_ms": 100, **keys})
    return KINDS[kind].missing(plan, Seen(figures))


def alone(kind: str, **keys: Any) -> str:
    """Return the scenario file of KIP-501's case, with this fault in place of its own."""
    fault = {"kind": kind, "broker": 1, "at_ms": 3_000, "for_ms": 1_000, **keys}
    return source("kip-501").partition("[[faults]]")[0] + fault_tables([fault])


def refusal(text: str) -> str:
    """Return the one line by which a scenario file is refused."""
    with pytest.raises(InputError) as error:
        parse(text, "mine.toml")
    assert "\n" not in str(error.value)
    return str(error.value)


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
