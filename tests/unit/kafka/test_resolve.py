"""Jars in the cache are checked twice, fetched again when damaged, and used offline.

The tests run the real Ivy on a repository that is a folder.
"""

import hashlib
from pathlib import Path

import pytest

from insync.brokers.kafka.fetch import maven
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import Jar, Release
from insync.errors import InputError

SETTINGS = """<ivysettings>
  <settings defaultResolver="folder"/>
  <resolvers>
    <ibiblio name="folder" m2compatible="true" usepoms="false" checksums="sha1" root="{root}"/>
  </resolvers>
</ivysettings>
"""


@pytest.fixture(scope="module")
def java() -> Java:
    return find_java()


class Repository:
    """A Maven repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str, classifier: str = "") -> Path:
        """Return the path of the jar `name`."""
        return self.folder / "org" / "example" / name / "1.0" / f"{name}-1.0{classifier}.jar"

    def publish(self, name: str, content: bytes, classifier: str = "") -> Jar:
        """Publish a jar with its checksum file."""
        file = self.file(name, classifier and f"-{classifier}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        sha1 = hashlib.sha1(content).hexdigest()  # noqa: S324 - Maven's
        file.with_suffix(".jar.sha1").write_text(sha1)
        sha256 = hashlib.sha256(content).hexdigest()
        return Jar("org.example", name, "1.0", sha256, classifier)

    def checksum(self, name: str) -> Path:
        """Return the path of the checksum of the jar `name`."""
        return self.file(name).with_suffix(".jar.sha1")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    settings = tmp_path / "ivysettings.xml"
    folder = tmp_path / "repository"
    settings.write_text(SETTINGS.format(root=folder.as_uri() + "/"), encoding="utf-8")
    monkeypatch.setenv("INSYNC_IVY_SETTINGS", str(settings))
    return Repository(folder)


@pytest.fixture
def release(repository: Repository) -> Release:
    return Release("0.0.1", tuple(repository.publish(name, name.encode()) for name in "abc"))


def test_jars_are_fetched_once_and_used_offline_afterwards(
    tmp_path: Path, release: Release, java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages: list[str] = []
    jars = cached_jars(release, tmp_path / "cache" / "libs", java, messages.append)
    assert [jar.read_bytes() for jar in jars] == [b"a", b"b", b"c"]
    assert messages == ["kafka 0.0.1: fetching 3 jars, once"]
    monkeypatch.setenv("INSYNC_IVY_SETTINGS", "gone")
    assert cached_jars(release, tmp_path / "cache" / "libs", java, messages.append) == jars
    assert len(messages) == 1
    left = sorted(path.name for path in (tmp_path / "cache").iterdir())
    assert left == [".libs.lock", "libs"]


def test_a_jar_beside_a_modules_main_one_is_fetched(
    tmp_path: Path, repository: Repository, java: Java
) -> None:
    both = (repository.publish("a", b"main"), repository.publish("a", b"tests", "test"))
    jars = cached_jars(Release("0.0.1", both), tmp_path / "libs", java, print)
    assert [(jar.name, jar.read_bytes()) for jar in jars] == [
        ("a-1.0.jar", b"main"), ("a-1.0-test.jar", b"tests"),
    ]  # fmt: skip


def test_a_damaged_jar_in_the_cache_is_fetched_again(
    tmp_path: Path, release: Release, java: Java
) -> None:
    messages: list[str] = []
    jars = cached_jars(release, tmp_path / "libs", java, messages.append)
    jars[1].write_bytes(b"half")
    assert cached_jars(release, tmp_path / "libs", java, messages.append) == jars
    assert jars[1].read_bytes() == b"b"
    assert "b-1.0.jar in the cache is damaged, fetching again" in messages[1]


def test_a_download_that_fails_the_registrys_checksum_is_refused(
    tmp_path: Path, release: Release, repository: Repository, java: Java
) -> None:
    repository.file("b").write_bytes(b"tampered")
    with pytest.raises(
        InputError, match=r"^ivy: cannot fetch Kafka's jars: .*invalid sha1"
    ) as error:
        cached_jars(release, tmp_path / "libs", java, print)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "libs").exists()


def test_a_download_that_is_not_the_pinned_one_is_refused(
    tmp_path: Path, release: Release, repository: Repository, java: Java
) -> None:
    repository.file("b").write_bytes(b"tampered")
    repository.checksum("b").unlink()
    with pytest.raises(InputError, match=r"fetched b-1\.0\.jar is not the pinned jar"):
        cached_jars(release, tmp_path / "libs", java, print)
    assert not (tmp_path / "libs").exists()


def test_a_missing_jar_is_an_error(
    tmp_path: Path, release: Release, repository: Repository, java: Java
) -> None:
    repository.file("c").unlink()
    with pytest.raises(InputError, match=r"org\.example#c;1\.0"):
        cached_jars(release, tmp_path / "libs", java, print)


def test_missing_settings_are_an_error(
    tmp_path: Path, release: Release, java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_IVY_SETTINGS", "gone.xml")
    with pytest.raises(InputError, match=r"INSYNC_IVY_SETTINGS is gone\.xml, expected a readable"):
        cached_jars(release, tmp_path / "libs", java, print)


def test_without_ivy_the_same_jars_are_downloaded(
    tmp_path: Path, repository: Repository, release: Release
) -> None:
    """As without pyspark: no Java, from the repository that the Ivy settings name."""
    jars = cached_jars(release, tmp_path / "libs", None, print)
    assert [jar.read_bytes() for jar in jars] == [b"a", b"b", b"c"]
    repository.file("b").write_bytes(b"tampered")
    with pytest.raises(InputError, match=r"fetched b-1\.0\.jar is not the pinned jar"):
        cached_jars(release, tmp_path / "again", None, print)
    repository.file("b").unlink()
    with pytest.raises(InputError, match=r"^kafka: cannot fetch file://.*/b-1\.0\.jar: "):
        cached_jars(release, tmp_path / "again", None, print)
    assert not (tmp_path / "again").exists()


def test_without_ivy_settings_must_name_a_repository(
    tmp_path: Path, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "ivysettings.xml"
    monkeypatch.setenv("INSYNC_IVY_SETTINGS", str(settings))
    for text, problem in (("<ivysettings/>", "no <ibiblio root="), ("<ivy", "not XML")):
        settings.write_text(text)
        with pytest.raises(InputError, match=problem) as error:
            cached_jars(release, tmp_path / "libs", None, print)
        assert "\n" not in str(error.value)


def test_maven_central_has_a_jar_at_its_coordinates() -> None:
    jar = Jar("org.apache.kafka", "kafka-clients", "4.3.1", "", "test")
    assert maven.url(maven.CENTRAL, jar).endswith(
        "/org/apache/kafka/kafka-clients/4.3.1/kafka-clients-4.3.1-test.jar"
    )
