"""A limit of the machine that is too low for many partitions is named before brokers start."""

import resource
from pathlib import Path

import pytest

from insync.brokers.cluster import limits
from insync.brokers.cluster.limits import room_for
from insync.errors import InputError


class Limits:
    """The limits of a process, of which the hard one may be raised by root only."""

    def __init__(self, soft: int, hard: int, *, root: bool) -> None:
        self.now = (soft, hard)
        self._root = root

    def get(self, _: int) -> tuple[int, int]:
        return self.now

    def set(self, _: int, wanted: tuple[int, int]) -> None:
        if wanted[1] > self.now[1] and not self._root:
            raise ValueError("not allowed to raise maximum limit")
        self.now = wanted


def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, files: Limits, maps: int) -> None:
    (tmp_path / "max_map_count").write_text(f"{maps}\n")
    monkeypatch.setattr(limits, "_MAPS", tmp_path / "max_map_count")
    monkeypatch.setattr(resource, "getrlimit", files.get)
    monkeypatch.setattr(resource, "setrlimit", files.set)


def test_the_soft_limit_is_raised_as_far_as_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = Limits(1_024, 1_000_000, root=False)
    fake(monkeypatch, tmp_path, files, 65_530)
    assert "log.index.size.max.bytes" in room_for(1_600)
    assert files.now == (3_600, 1_000_000)


def test_only_root_raises_the_hard_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    files = Limits(1_024, 4_096, root=True)
    fake(monkeypatch, tmp_path, files, 65_530)
    room_for(10_000)
    assert files.now == (12_000, 12_000)
    fake(monkeypatch, tmp_path, Limits(1_024, 4_096, root=False), 65_530)
    with pytest.raises(InputError, match=r"\(ulimit -Hn\) of at least 12000: it is 4096"):
        room_for(10_000)


def test_too_few_mappings_are_named_with_the_command_that_allows_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake(monkeypatch, tmp_path, Limits(1_024, 1_000_000, root=False), 20_000)
    with pytest.raises(InputError, match=r"it is 20000 \(sysctl -w vm.max_map_count=22000\)"):
        room_for(10_000)
