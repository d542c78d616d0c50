"""A broker loses only one topic's log while it is down."""

from pathlib import Path

import pytest

from fault_runs import planned
from insync.errors import InsyncError
from unit.faults.evidence import Killed


@pytest.fixture
def node(tmp_path: Path) -> Killed:
    for name in ("burst-r0-0", "burst-r0-1", "burst-r0-q-0", "other-0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "00000000000000000000.log").write_bytes(b"x" * 100)
        (tmp_path / name / "00000000000000000000.index").write_bytes(b"x" * 7)
    return Killed(folder=tmp_path)


def test_the_topics_folders_go_while_the_broker_is_down_and_are_counted(
    node: Killed, tmp_path: Path
) -> None:
    fault = planned(node, "lost-log", topic="burst-r0")
    fault.inject()
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["burst-r0-q-0", "other-0"]
    assert node.done == ["kill"]
    fault.lift()
    assert node.done == ["kill", "restart"]
    assert fault.evidence().figures == {"signal": 9, "removed_bytes": 200}


def test_a_broker_that_could_not_be_killed_keeps_its_log(node: Killed, tmp_path: Path) -> None:
    node.exit_code = 1
    with pytest.raises(InsyncError, match="ended before the kill"):
        planned(node, "lost-log", topic="burst-r0").inject()
    assert (tmp_path / "burst-r0-0").is_dir()
