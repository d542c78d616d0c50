"""Runs one arm of a matrix: reuses clusters, replaces one after an error, writes histories."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, cast

import pytest

from event_lines import read_lines
from insync.engine import worker
from insync.engine.worker import Task, WorkerProgress, save_task
from insync.errors import InsyncError
from insync.progress import ProgressReader
from insync.run.cell import CellSpec
from insync.scenario.load import load
from unit.engine.cells import cell, named

SETTINGS = {"slow-disk": "4000"}
"""Scenarios that want another replica.lag.time.max.ms than 2000."""


class FakeClusters:
    """Fake clusters; `acts` records what ran on which, `breaks` names the scenarios that fail.

    `no_start` names the clusters that do not start.
    """

    def __init__(self) -> None:
        self.acts: list[tuple[str, str]] = []
        self.breaks: dict[str, BaseException] = {}
        self.no_start: list[str] = []
        self.histories: list[tuple[str, list[str]]] = []

    @contextmanager
    def open_arm_cluster(
        self, cells: Sequence[CellSpec], _: object, home: Path, __: object
    ) -> Iterator[Any]:
        if home.name in self.no_start:
            raise InsyncError(f"{home.name}: broker 2 is not ready")
        yield SimpleNamespace(arm=cells[0].arm, name=home.name)

    def run_repeats(self, arm_cluster: Any, cell: CellSpec, progress: WorkerProgress) -> None:
        self.acts.append((arm_cluster.name, cell.scenario.name))
        progress.repeat_done()
        if cell.scenario.name in self.breaks:
            raise self.breaks[cell.scenario.name]

    def write_histories(self, arm_cluster: Any, cells: Sequence[CellSpec]) -> None:
        self.histories.append((arm_cluster.name, [cell.scenario.name for cell in cells]))


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeClusters:
    made = FakeClusters()
    for name in ("open_arm_cluster", "run_repeats", "write_histories"):
        monkeypatch.setattr(worker, name, getattr(made, name))
    monkeypatch.setattr(worker, "cluster_spec", lambda s, _: {"lag": SETTINGS.get(s.name, "2000")})
    return made


def task(folder: Path, *names: str) -> Task:
    cells = tuple(named(name, folder / name, "read") for name in names)
    return Task(cells=cells, folder=folder / "4.3.1")


def done(folder: Path, *names: str, waits: bool = False) -> list[dict[str, object]]:
    asked = task(folder, *names).model_copy(update={"waits": waits})
    save_task(asked)
    worker.do_task(asked, cast("Any", None), WorkerProgress(asked))
    return read_lines(asked.progress)


def test_scenarios_with_the_same_broker_requirements_share_a_cluster(
    tmp_path: Path, fake: FakeClusters
) -> None:
    progress = done(tmp_path, "freeze", "slow-disk", "read-stall")
    assert fake.acts == [("read", "freeze"), ("read", "read-stall"), ("read-2", "slow-disk")]
    assert fake.histories == [("read", ["freeze", "read-stall"]), ("read-2", ["slow-disk"])]
    assert [line["ended"] for line in progress if "ended" in line] == [
        "freeze", "read-stall", "slow-disk",
    ]  # fmt: skip
    assert progress[0] == {"phase": "freeze (1 of 3)"}


def test_scenarios_share_a_cluster_only_if_each_broker_can_have_one_disk() -> None:
    names = ["disk-stall", "read-stall", "memory-pressure", "slow-disk-ramp", "produce-refused"]
    lag = load("disk-stall").broker
    scenarios = [load(name).model_copy(update={"broker": lag}) for name in names]
    groups = worker.by_cluster([cell(each, Path(each.name)) for each in scenarios])
    assert [[cell.scenario.name for cell in group] for group in groups] == [
        ["disk-stall", "read-stall", "slow-disk-ramp", "produce-refused"],
        ["memory-pressure"],
    ]


def test_after_a_failure_the_next_runs_on_a_new_cluster(tmp_path: Path, fake: FakeClusters) -> None:
    fake.breaks["b"] = InsyncError("topic b-r0: ISR not full:\nlast ...")
    progress = done(tmp_path, "a", "b", "c")
    assert fake.acts == [("read", "a"), ("read", "b"), ("read-2", "c")]
    assert fake.histories == [("read", ["a", "b"]), ("read-2", ["c"])]
    assert [line["ended"] for line in progress if "ended" in line] == ["a", "c"]
    assert {"phase": "b was cut short: topic b-r0: ISR not full: last ..."} in progress


def test_a_cluster_that_does_not_start_is_started_a_second_time(
    tmp_path: Path, fake: FakeClusters
) -> None:
    fake.no_start = ["read", "read-3"]
    progress = done(tmp_path, "a", "slow-disk", "b")
    assert fake.acts == [("read-2", "a"), ("read-2", "b"), ("read-4", "slow-disk")]
    assert [line["ended"] for line in progress if "ended" in line] == ["a", "b", "slow-disk"]
    assert {"phase": "the cluster did not start: read: broker 2 is not ready"} in progress


def test_clusters_that_do_not_start_twice_end_only_the_scenarios_that_need_them(
    tmp_path: Path, fake: FakeClusters
) -> None:
    fake.no_start = ["read", "read-2"]
    with pytest.raises(InsyncError, match="read-2: broker 2 is not ready"):
        done(tmp_path, "a", "slow-disk", "b")
    assert fake.acts == [("read-3", "slow-disk")]
    progress = read_lines(task(tmp_path, "a").progress)
    assert [line["ended"] for line in progress if "ended" in line] == ["slow-disk"]
    assert not [line for line in progress if "broken" in line], "no scenario did this"


def test_an_interrupted_arm_writes_the_history_of_started_scenarios_and_ends_whole_ones(
    tmp_path: Path, fake: FakeClusters
) -> None:
    fake.breaks["b"] = KeyboardInterrupt("SIGTERM")
    with pytest.raises(KeyboardInterrupt):
        done(tmp_path, "a", "b", "c")
    assert fake.histories == [("read", ["a", "b"])]
    progress = read_lines(task(tmp_path, "a").progress)
    assert [line["ended"] for line in progress if "ended" in line] == ["a"]


def test_the_first_scenario_waits_for_a_file(tmp_path: Path, fake: FakeClusters) -> None:
    begun = Thread(target=done, args=(tmp_path, "a", "b"), kwargs={"waits": True})
    begun.start()
    begun.join(0.2)
    assert begun.is_alive()
    assert fake.histories == []
    task(tmp_path, "a").go.touch()
    begun.join()
    assert fake.histories == [("read", ["a", "b"])]


def test_progress_is_read_in_complete_lines(tmp_path: Path) -> None:
    path = tmp_path / "progress.jsonl"
    reader = ProgressReader(path)
    assert list(reader.news()) == []
    path.write_bytes(b'{"phase":"a (1 of 2)"}\n{"ended":"a"}\n{"rep')
    assert list(reader.news()) == [{"phase": "a (1 of 2)"}, {"ended": "a"}]
    with path.open("ab") as file:
        file.write(b'eat_done":true}\n')
    assert list(reader.news()) == [{"repeat_done": True}]
