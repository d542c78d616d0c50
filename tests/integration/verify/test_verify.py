"""`insync verify` on real brokers: an own build with the agent, and two equal builds."""

import json
import xml.etree.ElementTree as Xml
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from insync.brokers.kafka.distribution import Distribution
from integration.test_own_build import folder_of

SHORT = ("--only", "read-stall", "--seeds", "none")


def level(found: dict[str, Any], name: str) -> dict[str, Any]:
    (own,) = [each for each in found["children"] if each["of"] == name]
    return dict(own)


@pytest.mark.long
def test_a_folder_of_jars_is_judged_with_the_agent(dist: Distribution, tmp_path: Path) -> None:
    libs, out = folder_of(dist, tmp_path / "libs"), tmp_path / "out"
    found = insync_json("verify", "--kafka", libs, *SHORT, "--out", out)
    assert found["verdict"] == "pass", found["reason"]
    assert found == json.loads((out / "verdict.json").read_text())
    facts = found["facts"]
    assert facts["candidate's jars, SHA-256"] == facts["baseline's jars, SHA-256"]
    assert facts["candidate's Kafka"].startswith("4.3.1+")
    faults = level(found, "faults")
    by_check = {each["expected"]: each for each in faults["children"]}
    kept = by_check["nothing lost, every fault acted, as arm request"]
    assert kept["outcome"] == "pass"
    assert "ISR shrinks 0;" in kept["found"]
    assert "ISR shrinks 0;" not in kept["baseline"], "stock drops followers"
    links = [page for each in faults["children"] for page in each.get("links", {}).values()]
    assert links
    assert all((out / page.partition("#")[0]).is_file() for page in links)
    for page in faults["links"].values():
        assert (out / page).is_file()
    cases = list(Xml.parse(out / "junit.xml").getroot().iter("testcase"))  # noqa: S314 - our own
    assert len(cases) == sum(len(each["children"]) for each in found["children"])
    again = insync_json("verify", "--kafka", libs, *SHORT, "--out", out, "--resume")
    assert again["children"] == found["children"], "what has a result is not run again"


@pytest.mark.long
def test_two_equal_builds_show_no_difference(tmp_path: Path) -> None:
    found = insync_json(
        "verify", "--no-agent", "--only", "read-stall,slow-follower", "--seeds", "1-3",
        "--repeats", "8", "--out", tmp_path / "out", codes=(0, 3), within_s=1_200,
    )  # fmt: skip
    checks = level(found, "faults")["children"]
    assert [each for each in checks if each["outcome"] == "fail"] == []
    assert any(each["expected"] == "no metric is worse beyond noise" for each in checks)
