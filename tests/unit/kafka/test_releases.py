"""A release is found by its number, pinned as Maven resolves it once, and recorded.

Those pinned here are complete, and are those of the table that the build compiles by.
"""

import re
import shutil
import subprocess
import sys
import tomllib
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
        InputError, match=r"^kafka: 4\.0\.1 is not one of .*expected Maven on the path"
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


# With ZooKeeper and log4j 1 (2.8.2), with log4j 1 (3.9.2), with eligible leader replicas (4.3.1).
PINNED = ("2.8.2", "3.9.2", "4.3.1")
needs_maven = pytest.mark.skipif(shutil.which("mvn") is None, reason="no mvn on the path")


@pytest.mark.long
@needs_maven
@pytest.mark.parametrize("version", PINNED)
def test_the_command_repeats_what_is_pinned(version: str, tmp_path: Path) -> None:
    told: list[str] = []
    written = pin.pin(version, tmp_path, tell=told.append)
    made = tomllib.loads(written.read_text(encoding="utf-8"))
    dists = Path(pin.__file__).with_name("dists")
    assert made == tomllib.loads((dists / f"{version}.toml").read_text(encoding="utf-8"))
    assert re.match(rf"kafka {version}: resolving", told[0])
    assert re.match(rf"kafka {version}: {len(made['jars'])} jars pinned in ", told[1])


@pytest.mark.long
@needs_maven
def test_a_version_that_was_never_published_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "insync.brokers.kafka.pin", "9.9.9", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("pin: Maven cannot resolve it: Could not find artifact ")
    assert "kafka_2.13:jar:9.9.9" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("version", ["4.3", "4.3.1-rc0"])
def test_wrong_input_is_named(version: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(f"'{version}'")):
        pin.pin(version, tmp_path)
    with pytest.raises(InputError, match="is not a folder"):
        pin.pin("4.3.1", tmp_path / "none")


@pytest.mark.parametrize(
    ("version", "scala", "log4j_1"),
    [("1.1.0", "2.12", True), ("3.6.2", "2.13", True), ("4.0.2", "2.13", False)],
)
def test_what_a_node_is_made_of(version: str, scala: str, log4j_1: bool) -> None:
    kafka, *logging = pin.roots(version)
    assert kafka == f"org.apache.kafka:kafka_{scala}:{version}"
    assert any("log4j-1.2-api" in each for each in logging) == log4j_1


@pytest.mark.parametrize(
    ("version", "zookeeper"),
    [("2.3.1", "3.4.10"), ("2.4.0", "3.5.8"), ("2.5.0", "3.5.8"), ("2.5.1", None), ("4.3.1", None)],
)
def test_a_zookeeper_that_finds_no_address_on_this_java_is_replaced(
    version: str, zookeeper: str | None
) -> None:
    expected = [] if zookeeper is None else [f"org.apache.zookeeper:zookeeper:{zookeeper}"]
    assert pin.instead_of_own(version) == expected


@pytest.mark.parametrize("version", versions.known())
def test_a_release_pins_each_jar_once(version: str) -> None:
    release = versions.pinned(version)
    names = [jar.file_name for jar in release.jars]
    assert release.version == version
    assert names == sorted(set(names))
    assert len({tuple(jar.parts[:2]) for jar in release.jars}) == len(names), (
        "one jar in two versions"
    )
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) for jar in release.jars)
    assert any(re.fullmatch(rf"kafka_2\.1[23]-{re.escape(version)}\.jar", name) for name in names)
    # 3.9 brings 3.8 as well, for brokers that still have to upgrade from it.
    assert release.zookeeper == any(re.match(r"zookeeper-3\.[45]\.", name) for name in names)


def test_versions_are_listed_oldest_first() -> None:
    assert list(versions.known()) == sorted(versions.known(), key=numbers)


TABLE = Path(__file__).resolve().parents[3] / "gradle" / "broker-versions.properties"


def table() -> dict[str, str]:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def supported() -> set[str]:
    rows = table()
    return {
        version
        for adapter in rows["adapters"].split(",")
        for version in rows[f"{adapter}.tested"].split(",")
        if version
    }


def test_the_harness_versions_and_the_adapters_match() -> None:
    stock = set(table()["stock"].split(","))
    assert set(versions.known()) == supported() | stock
    assert not supported() & stock


def test_ranges_do_not_overlap_and_include_their_own_versions() -> None:
    rows = table()
    before = (0,)
    for adapter in rows["adapters"].split(","):
        lowest, above = numbers(rows[f"{adapter}.from"]), numbers(rows[f"{adapter}.below"])
        assert before <= lowest < above, adapter
        before = above
        assert not any(lowest <= numbers(version) < above for version in rows["stock"].split(","))
        listed = ",".join(rows[f"{adapter}.{column}"] for column in ("tested", "linked", "known"))
        for version in (word for word in listed.split(",") if word):
            assert lowest <= numbers(version) < above, version
        assert rows[f"{adapter}.compile"] in listed


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def test_the_agent_is_compiled_against_a_tested_version() -> None:
    assert table()["compile"] in supported()
    assert versions.DEFAULT in supported()
