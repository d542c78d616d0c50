"""The lists of test classes and of pinned jars fit together."""

import tomllib
import zipfile
from pathlib import Path

import pytest

import pin_tests as pin
from insync.brokers.kafka import versions
from insync.brokers.kafka.versions import known
from insync.errors import InputError
from insync.kafka_tests import classes
from insync.kafka_tests.classes import find_classes, listed, pinned


def test_every_class_is_listed_once() -> None:
    names = [each.name for each in listed()]
    assert len(set(names)) == len(names)
    assert any(each.short for each in listed())


def test_pinned_versions_are_versions_of_brokers() -> None:
    assert set(pinned()) <= set(known())
    assert "4.4.0" not in pinned()


def jar(folder: Path, *names: str) -> Path:
    with zipfile.ZipFile(folder / "tests.jar", "w") as content:
        for name in names:
            content.writestr(name.replace(".", "/") + ".class", "")
    return folder / "tests.jar"


def test_the_classes_of_a_version_are_those_in_its_jars(tmp_path: Path) -> None:
    some = ("kafka.server.DelayedFetchTest", "kafka.server.FetchRequestTest", "kafka.Other")
    file = jar(tmp_path, *some)
    assert [each.simple for each in find_classes("4.3.1", [file])] == [
        "FetchRequestTest", "DelayedFetchTest",
    ]  # fmt: skip
    assert [each.simple for each in find_classes("1.1.1", [file])] == ["DelayedFetchTest"]
    assert [each.simple for each in find_classes("4.3.1", [file], short=True)] == [
        "DelayedFetchTest"
    ]
    assert {each.jvm for each in find_classes("4.3.1", [file])} == {"fetches"}


def test_only_classes_that_are_there_can_be_chosen(tmp_path: Path) -> None:
    file = jar(tmp_path, "kafka.server.DelayedFetchTest", "kafka.server.FetchRequestTest")
    (one,) = find_classes("4.3.1", [file], only=["DelayedFetchTest"])
    assert one.simple == "DelayedFetchTest"
    with pytest.raises(InputError, match=r"--only DelayedFetchTst: .*did you mean 'DelayedFetch"):
        find_classes("4.3.1", [file], only=["DelayedFetchTst"])


def test_jars_without_kafkas_tests_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none of Kafka's test classes in them"):
        find_classes("4.3.1", [jar(tmp_path, "kafka.Other")])
    damaged = tmp_path / "damaged.jar"
    damaged.write_text("no jar")
    with pytest.raises(InputError, match=r"damaged\.jar: not a readable jar"):
        find_classes("4.3.1", [damaged])


def ids_pinned(version: str) -> set[str]:
    data = tomllib.loads((pin.PINS / f"{version}.toml").read_text())
    return {entry["id"] for entry in data["jars"]}


@pytest.mark.parametrize("version", classes.pinned())
def test_every_root_is_pinned_except_the_broker_itself(version: str) -> None:
    broker = {jar.id for jar in versions.pinned(version).jars}
    assert set(pin.roots(version)) - broker <= ids_pinned(version)


@pytest.mark.parametrize("version", classes.pinned())
def test_no_jar_of_the_broker_is_pinned_again(version: str) -> None:
    broker = {":".join(jar.parts[:2]) for jar in versions.pinned(version).jars}
    plain = {name.rpartition(":")[0] for name in ids_pinned(version) if name.count(":") == 2}
    assert not plain & broker


def test_a_version_without_tests_that_run_is_refused() -> None:
    with pytest.raises(InputError, match=r"tests of Kafka 1\.0\.2, expected 1\.1 or later"):
        pin.roots("1.0.2")


@pytest.mark.long
def test_the_command_repeats_what_is_pinned(tmp_path: Path) -> None:
    made = pin.pin_tests("4.3.1", tmp_path)
    assert made.read_text() == (pin.PINS / "4.3.1.toml").read_text()
