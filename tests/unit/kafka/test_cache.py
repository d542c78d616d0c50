"""The cache folder has one writer at a time and complete folders only; errors are one line."""

from pathlib import Path

import pytest
from filelock import FileLock

from insync.brokers.kafka import cache
from insync.errors import InputError


def test_a_busy_cache_gives_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_WAIT_S", 0.1)
    with (
        FileLock(tmp_path / ".libs.lock"),
        pytest.raises(InputError, match=r"cache: .*/libs is busy for 0\.1 s"),
        cache.locked(tmp_path / "libs"),
    ):
        pass


def test_an_unwritable_cache_gives_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    folder = tmp_path / "file" / "kafka" / "libs"
    with pytest.raises(InputError, match=r"cache: cannot write .*/libs: Not a directory, expected"):
        cache.locked(folder).__enter__()
    with pytest.raises(InputError, match=r"cache: cannot write .*/libs: Not a directory, expected"):
        cache.atomic_folder(folder).__enter__()


def test_a_folder_is_replaced_only_when_the_new_one_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "libs"
    with cache.atomic_folder(folder) as made:
        (made / "jar").write_text("one")
    with pytest.raises(RuntimeError), cache.atomic_folder(folder) as made:
        (made / "jar").write_text("half")
        raise RuntimeError
    assert (folder / "jar").read_text() == "one"
    with cache.atomic_folder(folder) as made:
        (made / "jar").write_text("two")
    assert (folder / "jar").read_text() == "two"
    assert list(tmp_path.iterdir()) == [folder]


def test_leftovers_of_a_killed_writer_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".libs-abc").mkdir()
    with cache.locked(tmp_path / "libs"):
        assert not (tmp_path / ".libs-abc").exists()
