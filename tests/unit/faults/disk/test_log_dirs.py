"""Bytes of a broker's files are flipped, and replicas moved, without a broker."""

import shutil
import struct
from pathlib import Path
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.cluster import FaultCluster
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone, lacks, refusal

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
    return planned(node, "corrupt", partitions=[0], **keys)


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
    assert (line.acted_ms > 0, lacks("corrupt", line.figures)) == (True, None)


def test_a_file_that_the_broker_made_anew_stays_unchanged(tmp_path: Path, partition: Path) -> None:
    own = fault(tmp_path)
    own.inject()
    (partition / f"{NEW}.log").write_bytes(bytes(100))
    own.lift()
    assert own.evidence().figures["still"] == 0


def test_a_partition_without_such_a_file_is_no_evidence(tmp_path: Path, partition: Path) -> None:
    line = acted(fault(tmp_path, files="*.snapshot"))
    assert line.acted_ms == 0.0
    assert lacks("corrupt", line.figures) == "changed was 0, expected exactly 1"


pytestmark = pytest.mark.usefixtures("soon")


class Broker(OneNode):
    """Has t-r0-0 and t-r0-1 in different directories; copies those that it `moves`."""

    def __init__(self, tmp_path: Path, *, moves: int = 2, leaves: bool = False) -> None:
        super().__init__(folder=tmp_path)
        self.dirs = [tmp_path / "data", tmp_path / "data-2"]
        self.at.data_dirs = self.dirs
        self.asked = b""
        self._moves, self._leaves = moves, leaves
        for number, each in enumerate(self.dirs):
            (each / f"t-r0-{number}").mkdir(parents=True)

    def move_log_dirs(self, broker: int, body: bytes) -> None:
        assert broker == 1
        self.asked = body
        for number in range(self._moves):
            old, new = (dirs / f"t-r0-{number}" for dirs in (self.dirs, self.dirs[::-1])[number])
            new.mkdir()
            if not self._leaves:
                shutil.rmtree(old)

    def fault(self, *partitions: int) -> Fault[Any]:
        return planned(self, "move-log-dir", partitions=partitions or (0, 1))


@pytest.mark.parametrize(
    ("moves", "leaves", "moved", "missing"),
    [
        (2, False, 2, None),
        (1, False, 1, "moved was 1, expected exactly 2"),
        (2, True, 0, "moved was 0, expected exactly 2"),
        (0, False, 0, "moved was 0, expected exactly 2"),
    ],
)
def test_a_replica_has_moved_when_it_is_in_the_other_directory_alone(
    tmp_path: Path, moves: int, leaves: bool, moved: int, missing: str | None
) -> None:
    line = acted(Broker(tmp_path, moves=moves, leaves=leaves).fault())
    assert (line.figures["moved"], line.figures["asked"]) == (moved, 2)
    assert bool(line.acted_ms) == bool(moved)
    assert lacks("move-log-dir", line.figures) == missing


def test_each_replica_goes_to_the_directory_after_its_own(tmp_path: Path) -> None:
    broker = Broker(tmp_path)
    broker.fault().inject()
    assert broker.asked.startswith(struct.pack(">i", 2))
    first, second = (str(each).encode() for each in broker.dirs)
    assert broker.asked.index(second + struct.pack(">i", 1)) < broker.asked.index(
        first + struct.pack(">i", 1)
    )
    assert broker.asked.count(struct.pack(">h", 4) + b"t-r0") == 2


def test_a_replica_that_is_nowhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InsyncError, match="broker 1: no folder t-r0-7 in any log directory"):
        Broker(tmp_path).fault(7).inject()


def test_a_broker_that_refuses_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = struct.pack(">h", 1) + b"t"
    answer = struct.pack(">iii", 1, 0, 1) + topic + struct.pack(">iihih", 2, 0, 0, 1, 57)
    node: Any = OneNode()
    cluster: Any = type("C", (), {"nodes": {1: node.at}})()
    running = FaultCluster(kafka=node, cluster=cluster, controls={}, home=Path())
    monkeypatch.setattr(wire, "connect", lambda *_: open("/dev/null"))  # noqa: SIM115, PTH123
    monkeypatch.setattr(wire, "exchange", lambda *_: answer)
    with pytest.raises(InsyncError, match="broker 1: t-1: error 57"):
        running.move_log_dirs(1, b"")


def test_there_must_be_another_directory() -> None:
    text = alone("move-log-dir", partitions=[0])
    expected = "faults[0].kind: 'move-log-dir', expected broker.log_dirs to be more than 1"
    assert refusal(text).startswith(f"mine.toml: {expected}")
    assert parse(text.replace("[broker]", "[broker]\nlog_dirs = 2"), "mine.toml").faults
