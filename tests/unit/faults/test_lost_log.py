"""A broker loses only one topic's log while it is down."""

from pathlib import Path

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from unit.faults.evidence import Process


def fault_on(process: Process, folder: Path, asked: list[str]) -> Fault[object]:
    for name in ("burst-r0-0", "burst-r0-1", "burst-r0-q-0", "other-0"):
        (folder / name).mkdir()
        (folder / name / "00000000000000000000.log").write_bytes(b"x" * 100)
        (folder / name / "00000000000000000000.index").write_bytes(b"x" * 7)

    def kill(_: int) -> None:
        asked.append("kill")
        process.code = -9

    def restart(_: int) -> None:
        asked.append("restart")

    cluster = OneNode(process, folder=folder, kill=kill, restart=restart)
    return planned(cluster, "lost-log", topic="burst-r0")


def test_the_topics_folders_go_while_the_broker_is_down_and_are_counted(tmp_path: Path) -> None:
    asked: list[str] = []
    fault = fault_on(Process(), tmp_path, asked)
    fault.prepare()
    fault.inject()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["burst-r0-q-0", "other-0"]
    assert asked == ["kill"]
    fault.lift()
    assert asked == ["kill", "restart"]
    assert fault.evidence().figures == {"signal": 9.0, "removed_bytes": 200.0}


def test_a_broker_that_could_not_be_killed_keeps_its_log(tmp_path: Path) -> None:
    process = Process()
    process.code = 1
    with pytest.raises(InsyncError, match="ended before the kill"):
        fault_on(process, tmp_path, []).inject()
    assert (tmp_path / "burst-r0-0").is_dir()
