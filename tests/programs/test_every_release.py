"""The agent fits every release of Kafka from 3.6.0 on that Maven Central has."""

import json

import pytest

from insync.brokers.kafka import releases
from insync.brokers.kafka.versions import numbers
from patched_kafka import gradle
from unit.kafka.test_releases import TABLE, table

FIRST = (3, 6, 0)
FOUND = TABLE.parents[1] / "plugin-java" / "agent" / "build" / "tmp" / "weave"


def published() -> set[str]:
    return {version for version in releases.published() if numbers(version) >= FIRST}


def listed() -> set[str]:
    rows = table()
    columns = ("tested", "linked", "known")
    all_ = {
        version
        for adapter in rows["adapters"].split(",")
        for column in columns
        for version in rows[f"{adapter}.{column}"].split(",")
        if version
    }
    return {version for version in all_ if numbers(version) >= FIRST}


@pytest.mark.long
def test_every_release_is_woven_with_every_feature() -> None:
    assert published() == listed()
    gradle(":agent:checkReleases")
    for version in listed():
        found = json.loads((FOUND / f"{version}.check.json").read_text())
        assert (found["problems"], found["unknown"]) == ([], []), version
        assert found["features"]["scopes"] == ["read", "request"], version
        assert found["features"]["step_down"] and found["features"]["log_start"], version
