"""A version is pinned as Maven resolves it, and what cannot be pinned is named in one line."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from insync.brokers.kafka import pin
from insync.errors import InputError

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


def test_without_maven_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="expected Maven on the path"):
        pin.pin("4.3.1", tmp_path, tell=lambda _: None)


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
