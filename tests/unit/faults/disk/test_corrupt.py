"""Bytes of a broker's files are flipped, without a broker."""

from pathlib import Path
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.faults.base import Fault
from insync.faults.kinds.disk.corrupt import KIND
from unit.faults.evidence import acted, lacks

OLD, NEW = "00000000000000000000", "00000000000000000100"


@pytest.fixture
def partition(tmp_path: Path) -> Path:
    """Make the folder of t-r0-0, in the second of two log directories, with two segments."""
    made = tmp_path / "data-2" / "t-r0-0"
    made.mkdir(parents=True)
    for name in (f"{OLD}.log", f"{NEW}.log", f"{OLD}.index"):
        (made / name).write_bytes(bytes(range(100)))
    (made / f"{NEW}.index").touch()
    return made


def fault(tmp_path: Path, **keys: Any) -> Fault[Any]:
    node = OneNode(folder=tmp_path)
    node.at.data_dirs = [tmp_path / "data", tmp_path / "data-2"]
    return planned(node, KIND.name, partitions=[0], **keys)


@pytest.mark.parametrize(
    ("keys", "changed"), [({}, f"{NEW}.log"), ({"files": "*.index"}, f"{OLD}.index")]
)
def test_the_newest_file_that_has_something_is_changed_in_its_middle(
    tmp_path: Path, partition: Path, keys: dict[str, str], changed: str
) -> None:
    line = acted(fault(tmp_path, count=4, **keys))
    whole = bytes(range(100))
    for file in partition.iterdir():
        content = file.read_bytes()
        if file.name == changed:
            assert content[46:50] == bytes(byte ^ 0xFF for byte in whole[46:50])
            assert content[:46] + content[50:] == whole[:46] + whole[50:]
        else:
            assert content in (whole, b"")
    assert line.figures == {"asked": 1.0, "changed": 1.0, "still": 1.0}
    assert (line.acted_ms > 0, lacks(KIND.name, line.figures)) == (True, None)


def test_a_file_that_the_broker_made_anew_stays_unchanged(tmp_path: Path, partition: Path) -> None:
    own = fault(tmp_path)
    own.inject()
    (partition / f"{NEW}.log").write_bytes(bytes(100))
    own.lift()
    assert own.evidence().figures["still"] == 0


def test_a_partition_without_such_a_file_is_no_evidence(tmp_path: Path, partition: Path) -> None:
    line = acted(fault(tmp_path, files="*.snapshot"))
    assert line.acted_ms == 0.0
    assert lacks(KIND.name, line.figures) == "changed was 0, expected exactly 1"
