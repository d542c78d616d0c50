"""Control groups: where they can be made, what is written and read, and that none stays."""

import os
import shutil
from pathlib import Path
from unittest.mock import Mock, call

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.faults.kinds import freeze
from insync.faults.kinds.freeze import ByPause
from insync.faults.support import cgroup_places, shares
from insync.faults.support.cgroup_places import Parent, everywhere, group_of, parents
from insync.faults.support.cgroups import ControlGroup, sweep, usable
from insync.faults.support.shares import ContainerShare, Throttled, quota, quota_us, throttled
from insync.owner import mine

V1 = "cgroup {root}/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0\n"
V2 = "cgroup2 {root}/unified cgroup2 rw,relatime 0 0\n"
V1_MEMORY = "cgroup {root}/memory cgroup rw,memory 0 0\n"
OWN = "1:cpu,cpuacct:/a/b\n2:memory:/m\n0::/c/d\n"


def test_both_versions_are_found_and_v1_comes_first(tmp_path: Path) -> None:
    mounts = ("tmpfs /x tmpfs rw 0 0\n" + V2 + V1).format(root=tmp_path)
    v1, v2 = tmp_path / "cpu,cpuacct", tmp_path / "unified"
    assert parents(mounts, OWN, "cpu") == [
        Parent(v1 / "a/b", unified=False),
        Parent(v1, unified=False),
        Parent(v2 / "c/d", unified=True),
        Parent(v2 / "c", unified=True),
        Parent(v2, unified=True),
    ]


def test_a_killed_harnesss_groups_are_sought_at_every_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("mounts", V1 + V2 + V1_MEMORY), ("self/cgroup", OWN)):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text.format(root=tmp_path))
    monkeypatch.setattr(cgroup_places, "PROC", tmp_path)
    folders = {place.folder for place in everywhere()}
    assert {tmp_path / "cpu,cpuacct", tmp_path / "memory", tmp_path / "unified"} <= folders


def test_a_machine_without_the_cpu_controller_says_so() -> None:
    assert parents("cgroup /sys/memory cgroup rw,memory 0 0\n", "1:memory:/\n", "cpu") == []
    assert usable([], "cpu", quota(50)) == "no cgroup with the cpu controller is mounted"


@pytest.mark.parametrize(
    ("unified", "quotas", "stat"),
    [
        (
            False, {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "2500"},
            "nr_periods 9\nnr_throttled 7\nthrottled_time 1500000\n",
        ),
        (
            True, {"cpu.max": "2500 100000"},
            "usage_usec 5\nnr_periods 9\nnr_throttled 7\nthrottled_usec 1500\n",
        ),
    ],
    ids=["v1", "v2"],
)  # fmt: skip
def test_a_group_has_its_quota_its_process_and_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unified: bool, quotas: dict[str, str],
    stat: str,
) -> None:  # fmt: skip
    """A folder stands in for the kernel's, which creates the files of a group."""
    mkdir = Path.mkdir

    def make(folder: Path) -> None:
        mkdir(folder)
        for name in (*quotas, "cgroup.procs"):
            (folder / name).touch()

    monkeypatch.setattr(Path, "mkdir", make)
    monkeypatch.setattr(Path, "rmdir", shutil.rmtree)
    enabled = tmp_path / "cgroup.subtree_control"
    enabled.write_text("memory")
    group = ControlGroup.make(Parent(tmp_path, unified), "2", quota(2.5))
    assert group.folder.name == f"insync-{mine()}-2"
    assert {name: (group.folder / name).read_text() for name in quotas} == quotas
    assert enabled.read_text().startswith("+cpu") == unified
    (group.folder / "cpu.stat").write_text(stat)
    assert throttled(group) == Throttled(times=7, ms=1.5)
    group.add(77)
    assert (group.folder / "cgroup.procs").read_text() == "77"
    group.remove()
    assert not group.folder.exists()


def test_if_a_quota_cannot_be_written_the_file_is_named_and_the_group_removed(
    tmp_path: Path,
) -> None:
    places = [Parent(tmp_path, unified=False), Parent(tmp_path / "none", unified=False)]
    found = usable(places, "cpu", quota(50))
    assert isinstance(found, str)
    assert "No such file or directory" in found
    assert list(tmp_path.iterdir()) == []


def test_only_groups_of_ended_harnesses_are_removed(tmp_path: Path) -> None:
    gone = f"{os.getpid()}-1"  # a process of the same number that started when the machine did
    names = [f"insync-{gone}-1", f"insync-{mine()}-1", "insync-x-1", f"other-{gone}-1"]
    for name in names:
        (tmp_path / name).mkdir()
    sweep([Parent(tmp_path, unified=False), Parent(tmp_path / "none", unified=True)])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names[1:])


@given(st.floats(0.1, 100))
def test_a_quota_is_valid_for_the_kernel_and_as_large_as_requested(percent: float) -> None:
    period, quota = quota_us(percent)
    assert 100_000 <= period <= 1_000_000
    assert 1_000 <= quota <= period
    assert quota / period * 100 == pytest.approx(percent, rel=0.01)


@pytest.fixture
def container() -> Mock:
    return Mock(pid=os.getpid(), poll=lambda: None)


@pytest.mark.parametrize(
    ("unified", "file", "running", "frozen"),
    [
        (False, "freezer.state", "THAWED\n", "FROZEN\n"),
        (True, "cgroup.events", "populated 1\nfrozen 0\n", "populated 1\nfrozen 1\n"),
    ],
)
def test_a_pause_is_read_from_the_control_group(
    unified: bool, file: str, running: str, frozen: str,
    container: Mock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(freeze, "group_of", lambda *_: Parent(tmp_path, unified))
    pause = ByPause(container)
    assert not pause.is_stopped(), "it is gone"
    (tmp_path / file).write_text(running)
    assert not pause.is_stopped()
    (tmp_path / file).write_text(frozen)
    assert pause.is_stopped()
    pause.stop()
    pause.go_on()
    assert pause.process.pid == os.getpid()
    assert container.mock_calls == [call.pause(), call.unpause()]


@pytest.fixture
def share(container: Mock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ContainerShare:
    """Return the share of the container, whose counters are in `cpu.stat`."""
    monkeypatch.setattr(shares, "group_of", lambda *_: Parent(tmp_path, unified=True))
    (tmp_path / "cpu.stat").write_text("nr_throttled 7\nthrottled_usec 5000\n")
    return ContainerShare(container)


def test_throttling_is_counted_from_the_start_of_a_quota_and_the_quota_removed(
    container: Mock, share: ContainerShare, tmp_path: Path
) -> None:
    share.cut(2.0)
    container.set_quota_us.assert_called_once_with(100_000, 2_000)
    (tmp_path / "cpu.stat").write_text("nr_throttled 10\nthrottled_usec 9000\n")
    assert (share.throttled().times, share.throttled().ms) == (3, 4.0)
    share.restore()
    share.restore()
    assert container.mock_calls[1:] == [call.set_quota_us(100_000, -1)]


def test_the_quota_of_an_ended_container_is_not_changed(
    container: Mock, share: ContainerShare
) -> None:
    share.cut(2.0)
    container.poll = lambda: -9
    share.restore()
    container.set_quota_us.assert_called_once_with(100_000, 2_000)


def test_missing_control_groups_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("insync.faults.support.cgroup_places.here", lambda _: [])
    with pytest.raises(FileNotFoundError, match="no cgroup with the freezer controller"):
        group_of(os.getpid(), "freezer")
