"""The pinned jars of Kafka's tests are those that the command resolves."""

import tomllib
from pathlib import Path

import pytest

import pin_tests as pin
from insync.brokers.kafka import versions
from insync.errors import InputError
from insync.kafka_tests import classes


def pinned(version: str) -> set[str]:
    data = tomllib.loads((pin.PINS / f"{version}.toml").read_text())
    return {entry["id"] for entry in data["jars"]}


@pytest.mark.parametrize("version", classes.pinned())
def test_every_root_is_pinned_except_the_broker_itself(version: str) -> None:
    broker = {jar.id for jar in versions.pinned(version).jars}
    assert set(pin.roots(version)) - broker <= pinned(version)


@pytest.mark.parametrize("version", classes.pinned())
def test_no_jar_of_the_broker_is_pinned_again(version: str) -> None:
    broker = {f"{jar.org}:{jar.name}" for jar in versions.pinned(version).jars}
    plain = {name.rpartition(":")[0] for name in pinned(version) if name.count(":") == 2}
    assert not plain & broker


def test_a_version_without_tests_that_run_is_refused() -> None:
    with pytest.raises(InputError, match=r"tests of Kafka 1\.0\.2, expected 1\.1 or later"):
        pin.roots("1.0.2")


@pytest.mark.long
def test_the_command_repeats_what_is_pinned(tmp_path: Path) -> None:
    made = pin.pin_tests("4.3.1", tmp_path)
    assert made.read_text() == (pin.PINS / "4.3.1.toml").read_text()
