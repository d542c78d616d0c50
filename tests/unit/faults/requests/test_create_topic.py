from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from fault_runs import fault_tables, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds.requests import create_topic
from insync.faults.kinds.requests.create_topic import KIND
from insync.scenario.load import parse
from unit.faults.evidence import acted, alone, lacks, refusal

TOPIC = "t-r0-new-1-0"


class Broker:
    """Makes so many folders of a topic that it is asked for, in its two log directories."""

    def __init__(self, tmp_path: Path, makes: int) -> None:
        self.dirs = [tmp_path / name for name in ("data", "data-2")]
        self.makes = makes
        self.made = Event()
        self.deleted: list[str] = []
        for each in self.dirs:
            each.mkdir()

    def node(self, _: int) -> Any:
        return SimpleNamespace(data_dirs=self.dirs)

    def begin_topic(self, topic: str, broker: int, partitions: int) -> None:
        assert (topic, broker, partitions) == (TOPIC, 1, 9)
        made = [dir_.with_name(f"{dir_.name}-made") for dir_ in self.dirs]
        for number in range(self.makes):
            (made[number % 2] / f"{topic}-{number}").mkdir(parents=True)
        self.dirs = made
        self.made.set()

    def delete_topic(self, topic: str) -> None:
        self.deleted.append(topic)
        raise InsyncError("no answer")

    def fault(self) -> Fault[Any]:
        return planned(self, KIND.name, count=9, folders=3)


@pytest.mark.parametrize(
    ("makes", "acts", "missing"),
    [
        (4, True, None),
        (2, False, None),
        (0, False, "folders was 0, expected some of those asked for, and not all"),
        (9, True, "folders was 9, expected some of those asked for, and not all"),
    ],
)
def test_it_begins_when_the_broker_has_some_of_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, makes: int, acts: bool, missing: str | None
) -> None:
    broker = Broker(tmp_path, makes)
    has_some = Mock(side_effect=lambda count, _: broker.made.wait() and count())
    monkeypatch.setattr(create_topic, "await_true", has_some)
    line = acted(broker.fault())
    assert broker.deleted == [TOPIC]
    assert line.figures["asked"] == 9
    assert bool(line.acted_ms) == acts
    assert line.figures["folders"] == makes
    assert lacks(KIND.name, line.figures) == missing


def test_a_broker_may_be_killed_meanwhile_and_no_more_folders_are_waited_for_than_asked() -> None:
    kill = fault_tables([{"kind": "kill", "broker": 1, "at_ms": 3_000, "for_ms": 500}])
    assert len(parse(alone(KIND.name, folders=3) + kill, "mine.toml").faults) == 2
    refused = refusal(alone(KIND.name, folders=301))
    assert "faults[0].folders: 301, expected at most count, 300" in refused
