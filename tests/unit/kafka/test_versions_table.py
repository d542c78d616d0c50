"""Compares the table of broker versions with what the harness runs and the build compiles."""

from __future__ import annotations

from pathlib import Path

from insync.brokers.kafka import versions

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
