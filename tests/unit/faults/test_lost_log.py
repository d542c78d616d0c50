"""A broker loses only one topic's log while it is down."""

from pathlib import Path

import pytest

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.kinds.lost_log import LostLogFault

KILLED = FaultLine(
    arm="time", repeat=0, fault="lost-log", site="", mode="", broker=3, target=[],
    injected_ms=1.0, lifted_ms=2.0, calls_held=0, held_ms=0, longest_held_ms=0, planned_ms=1,
    acted_ms=1.0, figures={"signal": 9.0},
)  # fmt: skip


class Kill:
    """Replaces the kill fault; records the calls."""

    def __init__(self, *, works: bool = True) -> None:
        self.asked: list[str] = []
        self._works = works

    def prepare(self) -> None:
        self.asked.append("prepare")

    def inject(self) -> None:
        if not self._works:
            raise InsyncError("broker 3: its process ended before the kill")
        self.asked.append("inject")

    def lift(self) -> None:
        self.asked.append("lift")

    def evidence(self) -> FaultLine:
        return KILLED


def data(folder: Path) -> Path:
    for name in ("burst-r0-0", "burst-r0-1", "burst-r0-q-0", "other-0"):
        (folder / name).mkdir()
        (folder / name / "00000000000000000000.log").write_bytes(b"x" * 100)
        (folder / name / "00000000000000000000.index").write_bytes(b"x" * 7)
    return folder


def test_the_topics_folders_go_while_the_broker_is_down_and_are_counted(tmp_path: Path) -> None:
    kill = Kill()
    fault = LostLogFault(kill, data(tmp_path), "burst-r0")
    fault.prepare()
    fault.inject()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["burst-r0-q-0", "other-0"]
    fault.lift()
    assert kill.asked == ["prepare", "inject", "lift"]
    assert fault.evidence().figures == {"signal": 9.0, "removed_bytes": 200.0}


def test_a_broker_that_could_not_be_killed_keeps_its_log(tmp_path: Path) -> None:
    fault = LostLogFault(Kill(works=False), data(tmp_path), "burst-r0")
    with pytest.raises(InsyncError, match="ended before the kill"):
        fault.inject()
    assert (tmp_path / "burst-r0-0").is_dir()
