"""A node's process ends and is started again: by a kill, or because its disk fails."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from fault_runs import planned
from insync.errors import InsyncError
from insync.faults.registry import KINDS
from insync.faults.support.control import ControlFile, Mode, Site, State
from unit.faults.evidence import Killed, acted, lacks

pytestmark = pytest.mark.usefixtures("soon")


@pytest.mark.parametrize("kind", ["kill", "power-failure"])
def test_a_broker_that_has_ended_cannot_be_killed(kind: str) -> None:
    node = Killed()
    node.exit_code = 1
    with pytest.raises(InsyncError, match="broker 1: its process ended before the kill"):
        planned(node, kind).inject()


def test_a_kills_evidence_is_how_long_there_was_no_process() -> None:
    node = Killed()
    line = acted(planned(node, "kill"))
    assert node.done == ["kill", "restart"]
    assert line.figures == {"signal": 9}
    assert line.acted_ms > 0


def test_a_process_that_outlived_its_kill_is_no_evidence() -> None:
    line = acted(planned(Killed(kill=lambda _: None), "kill"))
    assert (line.acted_ms, line.figures) == (0, {"signal": 0})


def test_after_a_power_failure_files_go_back_between_the_kill_and_the_restart() -> None:
    def fail() -> dict[str, int]:
        node.done.append("fail")
        return {"files": 2, "bytes": 9, "log_bytes": 5, "torn_files": 1}

    folder = SimpleNamespace(settle=lambda: node.done.append("settle"), fail_power=fail)
    node = Killed(disks=SimpleNamespace(tracked={1: [folder]}))
    line = acted(planned(node, "power-failure"))
    assert node.done == ["settle", "kill", "fail", "restart"]
    assert line.figures == {
        "signal": 9, "lost_files": 2, "lost_bytes": 9, "lost_log_bytes": 5, "lost_torn_files": 1,
    }  # fmt: skip
    assert KINDS["power-failure"].tags.kills


@pytest.mark.parametrize(
    ("dirs", "logs", "ends", "done", "lost"),
    [
        (1, True, True, ["restart"], (1, 1)),
        (2, True, False, ["kill", "restart"], (0, 1)),
        (2, False, False, [], (0, 0)),
    ],
    ids=["its only directory", "one of two", "not noticed"],
)
def test_a_broker_that_lost_the_directory_is_started_again_when_writes_succeed(
    tmp_path: Path, control: ControlFile, dirs: int, logs: bool, ends: bool, done: list[str],
    lost: tuple[int, int],
) -> None:  # fmt: skip
    node = Killed(folder=tmp_path, controls={1: control})
    node.at.data_dirs = [tmp_path / str(number) for number in range(dirs)]
    fault = planned(node, "write-error", partitions=[0])
    fault.inject()
    rule = control.slots[0]
    assert (rule.state, rule.site, rule.mode) == (State.ARMED, Site.WRITE, Mode.FAIL)
    rule.calls = 3
    (tmp_path / "log").write_text("ERROR (LogDirFailureChannel)" if logs else "")
    node.exit_code = 1 if ends else None
    fault.lift()
    assert rule.state == State.LIFTED
    assert node.done == done
    line = fault.evidence()
    assert line.figures["calls_failed"] == 3
    assert (line.figures["ended"], line.figures["offline"]) == lost
    assert line.acted_ms > 0


@pytest.mark.parametrize("kind", ["read-error", "write-error"])
def test_no_failed_call_is_no_evidence(control: ControlFile, kind: str) -> None:
    line = acted(planned(Killed(controls={1: control}), kind, partitions=[0]))
    assert line.acted_ms == 0
    assert lacks(kind, line.figures) == "calls_failed was 0, expected at least 1"
