"""The pinned releases are complete."""

import re

import pytest

from insync.brokers.kafka import versions


def test_the_default_is_known() -> None:
    assert versions.DEFAULT in versions.known()


@pytest.mark.parametrize("version", versions.known())
def test_a_release_pins_each_jar_once(version: str) -> None:
    release = versions.pinned(version)
    names = [jar.file_name for jar in release.jars]
    assert release.version == version
    assert names == sorted(set(names))
    assert len({(jar.org, jar.name) for jar in release.jars}) == len(names), (
        "one jar in two versions"
    )
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) for jar in release.jars)
    assert any(re.fullmatch(rf"kafka_2\.1[23]-{re.escape(version)}\.jar", name) for name in names)
    # 3.9 brings 3.8 as well, for brokers that still have to upgrade from it.
    assert release.zookeeper == any(re.match(r"zookeeper-3\.[45]\.", name) for name in names)


def test_versions_are_listed_oldest_first() -> None:
    assert versions.known() == (
        "1.0.0", "1.0.2", "1.1.0", "1.1.1", "2.0.0",
        "2.8.2", "3.6.2", "3.7.2", "3.8.1", "3.9.2", "4.0.2", "4.1.2", "4.3.1", "4.4.0",
    )  # fmt: skip
