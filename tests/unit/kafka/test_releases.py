"""A release is found by its number; one that is not pinned is resolved once, and recorded."""

from pathlib import Path

import pytest

from insync.brokers.kafka import builds, pin, releases, versions
from insync.errors import InputError
from insync.run.request import exact_all

PUBLISHED = ["3.5.0", "3.5.2", "3.9.2", "4.0.0", "4.0.1", "4.0.3", "4.3.1"]
JARS = """version = "4.0.1"
jars = [
  { id = "org.apache.kafka:kafka_2.13:4.0.1", sha256 = "00" },
]
"""


@pytest.fixture(autouse=True)
def repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(releases, "published", lambda: PUBLISHED)
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    releases.find.cache_clear()


def offline() -> list[str]:
    raise InputError("kafka: no list of releases: offline")


@pytest.mark.parametrize(
    ("named", "meant"), [("4.0", "4.0.3"), ("4.0.1", "4.0.1"), ("9.1", "9.1"), ("./libs", "./libs")]
)
def test_a_line_means_its_newest_patch_release(named: str, meant: str) -> None:
    assert builds.exact(named) == meant


@pytest.mark.parametrize(
    ("given", "meant"), [("4.0, 3.9.2", ("4.0.3", "3.9.2")), ("./a,b/libs", ("./a", "b/libs"))]
)
def test_the_option_of_commands_names_exact_releases(given: str, meant: tuple[str, ...]) -> None:
    assert exact_all(given) == meant


def test_without_a_network_it_is_the_newest_that_is_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(releases, "published", offline)
    assert releases.exact("4.0") == "4.0.2"
    assert releases.find("4.0").jars == versions.pinned("4.0.2").jars


def test_a_release_that_is_not_pinned_is_resolved_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def resolved(version: str, folder: Path, **_: object) -> None:
        asked.append(version)
        (folder / f"{version}.toml").write_text(JARS, encoding="utf-8")

    monkeypatch.setattr(pin, "pin", resolved)
    found = builds.find("4.0.1")
    assert [jar.id for jar in found.jars] == ["org.apache.kafka:kafka_2.13:4.0.1"]
    assert (tmp_path / "cache" / "kafka" / "4.0.1" / "4.0.1.toml").is_file()
    monkeypatch.setattr(releases, "published", offline)
    releases.find.cache_clear()
    assert (builds.find("4.0.1"), asked) == (found, ["4.0.1"])
    assert {"4.0.1", "4.0.2"} <= set(releases.recorded())
    assert found.digest != versions.pinned("4.0.2").digest


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            "3.5.9",
            r"unknown version '3\.5\.9', expected one of .*4\.3\.1.*\(the nearest is 3\.5\.2\), or",
        ),
        ("9.9.9", r"the nearest is 4\.3\.1\)"),
        ("9.1", r"unknown version '9\.1'.* \(the nearest is 4\.0\.0\)"),
        ("newest", "unknown version 'newest', expected one of .*, another release, or the path"),
    ],
)
def test_an_unknown_number_is_refused_with_the_nearest(named: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        builds.find(named)


def test_a_release_that_cannot_be_resolved_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(
        InputError, match=r"^kafka: 4\.0\.1 is not one of .*expected Maven"
    ) as error:
        builds.find("4.0.1")
    assert "\n" not in str(error.value)


def test_the_list_of_releases_is_that_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_MAVEN", (tmp_path / "repository").as_uri())
    with pytest.raises(InputError, match="no list of releases: file://"):
        releases.released("org.example", "a")
    listed = tmp_path / "repository" / "org" / "example" / "a" / "maven-metadata.xml"
    listed.parent.mkdir(parents=True)
    listed.write_text("<m><version>1.0.0</version><version>1.1.0-rc0</version></m>")
    assert releases.released("org.example", "a") == ["1.0.0", "1.1.0-rc0"]
