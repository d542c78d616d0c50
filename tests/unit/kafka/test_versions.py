"""The pinned releases are complete, and are those of the table that the build compiles by."""

import re
from pathlib import Path

import pytest

from insync.brokers.kafka import versions


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
