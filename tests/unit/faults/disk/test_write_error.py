"""Writes to partitions fail, and the broker loses their log directory, without a broker."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fault_runs import OneNode, planned
from insync.faults.kinds.disk.write_error import KIND
from insync.faults.support.control import ControlFile, Mode, Site, State
from insync.faults.support.disk import broken
from unit.faults.evidence import acted, lacks


class Broker(OneNode):
    """A broker under the shim, with so many log directories; `exit_code` once it has ended."""

    def __init__(self, tmp_path: Path, dirs: int = 1) -> None:
        self.exit_code: int | None = None
        self.control = ControlFile.create(tmp_path / "control", tmp_path, capacity=2)
        process = SimpleNamespace(poll=lambda: self.exit_code)
        super().__init__(process, folder=tmp_path, controls={1: self.control})
        self.at.data_dirs = [tmp_path / str(number) for number in range(dirs)]
        self.done: list[str] = []
        self.control.header.attached = 1

    def kill(self, _: int) -> None:
        self.exit_code = -9
        self.done.append("kill")

    def restart(self, _: int) -> None:
        self.exit_code = None
        self.done.append("start")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broken, "ENDS_WITHIN_S", 0.05)


@pytest.mark.parametrize(
    ("dirs", "logs", "ends", "done", "lost"),
    [
        (1, True, True, ["start"], (1, 1)),
        (2, True, False, ["kill", "start"], (0, 1)),
        (2, False, False, [], (0, 0)),
    ],
    ids=["its only directory", "one of two", "not noticed"],
)
def test_a_broker_that_lost_the_directory_is_started_again_when_writes_succeed(
    tmp_path: Path, dirs: int, logs: bool, ends: bool, done: list[str], lost: tuple[int, int]
) -> None:
    broker = Broker(tmp_path, dirs)
    fault = planned(broker, KIND.name, partitions=[0])
    fault.inject()
    rule = broker.control.slots[0]
    assert (rule.state, rule.site, rule.mode) == (State.ARMED, Site.WRITE, Mode.FAIL)
    rule.calls = 3
    (tmp_path / "log").write_text("ERROR (LogDirFailureChannel)" if logs else "")
    broker.exit_code = 1 if ends else None
    fault.lift()
    assert rule.state == State.LIFTED
    assert broker.done == done
    line = fault.evidence()
    assert line.figures["calls_failed"] == 3
    assert (line.figures["ended"], line.figures["offline"]) == lost
    assert line.acted_ms > 0


def test_no_failed_write_is_no_evidence(tmp_path: Path) -> None:
    line = acted(planned(Broker(tmp_path), KIND.name, partitions=[0]))
    assert line.acted_ms == 0.0
    assert lacks(KIND.name, line.figures) == "calls_failed was 0, expected at least 1"
