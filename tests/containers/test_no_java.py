"""Brokers in containers on a host without a Java: it takes the one of the image's base."""

import os
from pathlib import Path

import pytest

from commands import insync, insync_json
from insync.brokers.images import host_base
from insync.brokers.kafka import cache
from insync.brokers.kafka.java import find_java
from java_free import without_java


@pytest.fixture
def host(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a host without a Java, whose cache has Kafka's jars alone."""
    own = tmp_path / "cache"
    for libs in (cache.root() / "kafka").glob("*/libs"):
        place = own / "kafka" / libs.parent.name
        place.mkdir(parents=True)
        (place / "libs").symlink_to(libs)
    free = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    return {**free, "PATH": str(without_java(tmp_path / "bin")), "INSYNC_CACHE": str(own)}


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_the_java_of_the_base_is_copied_and_runs(host: dict[str, str]) -> None:
    name = host_base.tag(find_java())
    said = insync("image", "build", env=host)
    assert said.returncode == 2
    assert said.stderr.startswith("insync: java: none in JAVA_HOME or on the PATH")
    (row,) = insync_json("image", "build", "--base", name, env=host)["images"]
    assert row["base"] == name
    assert (Path(host["INSYNC_CACHE"]) / "java" / "bin" / "java").is_file()


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_a_run_needs_no_java_of_the_host(host: dict[str, str], tmp_path: Path) -> None:
    insync_json("image", "build", "--base", host_base.tag(find_java()), env=host)
    found = insync_json(
        "run", "kip-501", "--cluster", "docker", "--scale", "0.15", "--repeat", "1",
        "--out", tmp_path / "out", env=host,
    )  # fmt: skip
    assert found["verdict"] == "pass", found["reason"]
