"""The cache has one writer at a time and complete folders only; its jars are checked twice."""

import hashlib
from pathlib import Path

import pytest
from filelock import FileLock

from insync.brokers.kafka import cache
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import Jar, Release
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


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str, classifier: str = "") -> Path:
        return self.folder / "org" / "example" / name / "1.0" / f"{name}-1.0{classifier}.jar"

    def publish(self, name: str, content: bytes, classifier: str = "") -> Jar:
        file = self.file(name, classifier and f"-{classifier}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        words = ("org.example", name, "1.0", classifier)
        return Jar(":".join(filter(None, words)), sha256)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    folder = tmp_path / "repository"
    monkeypatch.setenv("INSYNC_MAVEN", folder.as_uri())
    return Repository(folder)


@pytest.fixture
def release(repository: Repository) -> Release:
    return Release("0.0.1", tuple(repository.publish(name, name.encode()) for name in "abc"))


def test_jars_are_fetched_once_and_used_offline_afterwards(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    jars = cached_jars(release, tmp_path / "cache" / "libs", messages.append)
    assert [jar.read_bytes() for jar in jars] == [b"a", b"b", b"c"]
    assert messages == ["kafka 0.0.1: fetching 3 jars, once"]
    monkeypatch.setenv("INSYNC_MAVEN", "gone")
    assert cached_jars(release, tmp_path / "cache" / "libs", messages.append) == jars
    assert len(messages) == 1
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == [".libs.lock", "libs"]


def test_a_jar_beside_a_modules_main_one_is_fetched(tmp_path: Path, repository: Repository) -> None:
    both = (repository.publish("a", b"main"), repository.publish("a", b"tests", "test"))
    jars = cached_jars(Release("0.0.1", both), tmp_path / "libs", print)
    assert [(jar.name, jar.read_bytes()) for jar in jars] == [
        ("a-1.0.jar", b"main"), ("a-1.0-test.jar", b"tests"),
    ]  # fmt: skip


def test_a_damaged_jar_in_the_cache_is_fetched_again(tmp_path: Path, release: Release) -> None:
    messages: list[str] = []
    jars = cached_jars(release, tmp_path / "libs", messages.append)
    jars[1].write_bytes(b"half")
    assert cached_jars(release, tmp_path / "libs", messages.append) == jars
    assert jars[1].read_bytes() == b"b"
    assert "b-1.0.jar in the cache is damaged, fetching again" in messages[1]


def test_a_download_that_is_not_the_pinned_one_is_refused(
    tmp_path: Path, release: Release, repository: Repository
) -> None:
    repository.file("b").write_bytes(b"tampered")
    with pytest.raises(InputError, match=r"fetched b-1\.0\.jar is not the pinned jar"):
        cached_jars(release, tmp_path / "libs", print)
    assert not (tmp_path / "libs").exists()


def test_a_missing_jar_is_an_error(
    tmp_path: Path, release: Release, repository: Repository
) -> None:
    repository.file("c").unlink()
    with pytest.raises(InputError, match=r"^kafka: cannot fetch file://.*/c-1\.0\.jar: ") as error:
        cached_jars(release, tmp_path / "libs", print)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "libs").exists()


def test_a_repository_that_is_no_address_is_an_error(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_MAVEN", "mirror/maven2")
    with pytest.raises(InputError, match="INSYNC_MAVEN: mirror/maven2, expected an address"):
        cached_jars(release, tmp_path / "libs", print)
