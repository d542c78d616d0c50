"""A topic is created and the broker has some of its folders, without a broker."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fault_runs import planned
from insync.errors import InputError, InsyncError
from insync.events.run_info import PlannedFault
from insync.faults.base import Fault
from insync.faults.kinds.requests import create_topic
from insync.faults.kinds.requests.create_topic import KIND
from insync.scenario.load import parse, source
from unit.faults.seen_figures import Seen

TOPIC = "t-r0-new-1-0"


class Broker:
    """Makes so many folders of a topic that it is asked for, in its two log directories."""

    def __init__(self, tmp_path: Path, makes: int) -> None:
        self.dirs = [tmp_path / name for name in ("data", "data-2")]
        self.makes = makes
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
        self.dirs = made  # all at once: the fault's thread counts meanwhile

    def delete_topic(self, topic: str) -> None:
        self.deleted.append(topic)
        raise InsyncError("no answer")

    def fault(self) -> Fault[Any]:
        return planned(self, KIND.name, count=9, folders=3)


@pytest.mark.parametrize(
    ("makes", "acted", "missing"),
    [
        (4, True, None),
        (2, False, None),
        (0, False, "folders was 0, expected some of those asked for, and not all"),
        (9, True, "folders was 9, expected some of those asked for, and not all"),
    ],
)
def test_it_begins_when_the_broker_has_some_of_the_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, makes: int, acted: bool, missing: str | None
) -> None:
    monkeypatch.setattr(create_topic, "FOLDERS_WITHIN_S", 0.3)
    broker = Broker(tmp_path, makes)
    fault = broker.fault()
    fault.inject()
    fault.lift()
    assert broker.deleted == [TOPIC]
    line = fault.evidence()
    assert line.figures["asked"] == 9
    assert bool(line.acted_ms) == acted
    assert line.figures["folders"] == makes
    assert KIND.missing(PlannedFault(kind=KIND.name, broker=1), Seen(dict(line.figures))) == missing


CREATE = (
    '[[faults]]\nkind = "create-topic"\nbroker = 1\nat_ms = 3_000\nfor_ms = 9_000\nfolders = {}\n'
)
KILL = '[[faults]]\nkind = "kill"\nbroker = 1\nat_ms = 3_000\nfor_ms = 1_000\n'


def test_a_broker_may_be_killed_meanwhile_and_no_more_folders_are_waited_for_than_asked() -> None:
    text = source("kip-501").partition("[[faults]]")[0]
    assert len(parse(text + CREATE.format(3) + KILL, "mine.toml").faults) == 2
    with pytest.raises(InputError, match=r"faults\[0\].folders: 301, expected at most count, 300"):
        parse(text + CREATE.format(301), "mine.toml")
