"""What tests of several kinds of faults are done to, and a way to let none of them wait long."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from insync.faults.support.control import ControlFile
from processes import busy_python
from unit.faults.evidence import Process, Restarted

BUSY = """
import threading, time
def spin():
    while True: sum(range(1000))
for _ in range(2): threading.Thread(target=spin).start()
while True:
    thread = threading.Thread(target=time.sleep, args=(0.01,)); thread.start(); thread.join()
"""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no fault wait long for what does not come."""
    for module in [each for name, each in sys.modules.items() if name.startswith("insync.faults")]:
        for name in [each for each in vars(module) if each.endswith("_WITHIN_S")]:
            monkeypatch.setattr(module, name, 0.05)


@pytest.fixture
def control(tmp_path: Path) -> ControlFile:
    """Make a control file that one process has mapped."""
    made = ControlFile.create(tmp_path / "control", tmp_path, capacity=4)
    made.header.attached = 1
    return made


@pytest.fixture
def busy() -> Iterator[Process]:
    """Start a process whose threads are always busy and that keeps starting threads."""
    with busy_python(BUSY) as process:
        yield process


@pytest.fixture
def restarted() -> Iterator[Callable[..., Restarted]]:
    """Return what starts a script as a node that may be started again; it ends with the test."""
    with ExitStack() as stack:

        def start(*command: str) -> Restarted:
            made = Restarted(*command)
            stack.callback(made.kill)
            return made

        yield start
