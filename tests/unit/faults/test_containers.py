"""Pause and quota of a container, read from made-up control groups of both versions."""

import os
from pathlib import Path
from typing import Any, cast

import pytest

from insync.faults.kinds import freeze
from insync.faults.kinds.freeze import ByPause
from insync.faults.support import shares
from insync.faults.support.cgroup_places import Parent, group_of
from insync.faults.support.shares import ContainerShare


class FakeContainer:
    """Records its pauses and quotas."""

    def __init__(self, quota: tuple[int, int] = (0, 0)) -> None:
        self.pid = os.getpid()
        self.quota_us = quota
        self.asked: list[object] = []
        self.ended = False

    def pause(self) -> None:
        self.asked.append("pause")

    def unpause(self) -> None:
        self.asked.append("unpause")

    def set_quota_us(self, period: int, quota: int) -> None:
        self.quota_us = (period, quota)

    def poll(self) -> int | None:
        return -9 if self.ended else None

    def send_signal(self, _: int, /) -> None:
        raise AssertionError("not by signals")

    def wait(self, timeout: float | None = None) -> int:
        raise AssertionError(f"not waited for, {timeout}")


@pytest.mark.parametrize(
    ("unified", "file", "running", "frozen"),
    [
        (False, "freezer.state", "THAWED\n", "FROZEN\n"),
        (True, "cgroup.events", "populated 1\nfrozen 0\n", "populated 1\nfrozen 1\n"),
    ],
)
def test_a_pause_is_read_from_the_control_group(
    unified: bool,
    file: str,
    running: str,
    frozen: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(freeze, "group_of", lambda *_: Parent(tmp_path, unified))
    container = FakeContainer()
    pause = ByPause(cast("Any", container))
    assert not pause.is_stopped(), "it is gone"
    (tmp_path / file).write_text(running)
    assert not pause.is_stopped()
    (tmp_path / file).write_text(frozen)
    assert pause.is_stopped()
    pause.stop()
    pause.go_on()
    assert (pause.pid, container.asked) == (os.getpid(), ["pause", "unpause"])


@pytest.mark.parametrize(("before", "after"), [((0, 0), (100_000, -1)), ((50_000, 75_000),) * 2])
def test_throttling_is_counted_from_the_start_of_a_quota_and_the_quota_restored(
    before: tuple[int, int], after: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "group_of", lambda *_: Parent(tmp_path, unified=True))
    container = FakeContainer(before)
    share = ContainerShare(cast("Any", container))
    stat = tmp_path / "cpu.stat"
    stat.write_text("nr_throttled 7\nthrottled_usec 5000\n")
    share.cut(2.0)
    assert container.quota_us == (100_000, 2_000)
    stat.write_text("nr_throttled 10\nthrottled_usec 9000\n")
    assert (share.throttled().times, share.throttled().ms) == (3, 4.0)
    share.restore()
    share.restore()
    assert container.quota_us == after


def test_the_quota_of_an_ended_container_is_not_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "group_of", lambda *_: Parent(tmp_path, unified=True))
    (tmp_path / "cpu.stat").write_text("nr_throttled 0\nthrottled_usec 0\n")
    container = FakeContainer()
    share = ContainerShare(cast("Any", container))
    share.cut(2.0)
    container.ended = True
    share.restore()
    assert container.quota_us == (100_000, 2_000)


def test_missing_control_groups_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.support.cgroup_places.here", lambda _: [])
    with pytest.raises(FileNotFoundError, match="no cgroup with the freezer controller"):
        group_of(os.getpid(), "freezer")
