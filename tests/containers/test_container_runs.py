"""Scenarios on containers give the same verdicts as on local processes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import pytest

from commands import insync_json
from insync.brokers.docker import leftovers

SITES = ("read-stall", "send-stall", "freeze", "cpu-starved")
ARMS = ("stock", "request")
ON_CONTAINERS = ("--cluster", "docker")


def record(out: Path, *scenario: str) -> Path:
    insync_json("run", *scenario, *ON_CONTAINERS, "--record-only", "--out", out)
    return out


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_every_site_is_as_expected_on_every_arm(
    engine: docker.DockerClient, tmp_path: Path
) -> None:
    out = tmp_path / "matrix"
    played = ("--only", ",".join(SITES), "--arms", ",".join(ARMS))
    cells = insync_json("matrix", *played, *ON_CONTAINERS, "--out", out)
    named = {(cell["scenario"], cell["arm"]): cell["outcome"] for cell in cells}
    assert named == {(site, arm): "pass" for site in SITES for arm in ARMS}
    for site in SITES:
        record = json.loads((out / "4.3.1" / site / "run.json").read_text())
        assert record["cluster"] == "docker"
        report = (out / "4.3.1" / site / "report.html").read_text(encoding="utf-8")
        assert "<dd>docker</dd>" in report
    marked = {"label": leftovers.OWNER}
    assert not engine.containers.list(all=True, filters=marked, ignore_removed=True)
    assert not engine.networks.list(filters=marked)


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_kip_501_has_the_verdict_that_it_has_locally(
    judge: Callable[..., Any], tmp_path: Path
) -> None:
    (verdict,) = judge(record(tmp_path / "run", "kip-501", "--scale", "0.2"))
    assert verdict["verdict"] == "pass"
    assert min(verdict["arms"]["stock"]["isr_shrinks"]) >= 1
    assert max(verdict["arms"]["request"]["isr_shrinks"]) == 0


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_a_leaders_whole_disk_may_hang(judge: Callable[..., Any], tmp_path: Path) -> None:
    (verdict,) = judge(record(tmp_path / "run", "disk-stall", "--arms", ",".join(ARMS)))
    assert verdict["verdict"] == "pass"
    assert verdict["arms"]["request"]["isr_shrinks"] == [0]
    for arm in ARMS:
        (evidence,) = verdict["arms"][arm]["evidence"]
        assert evidence["fault"] == "disk-stall"
        assert evidence["figures"]["reads"] >= 1
        assert evidence["acted_ms"] >= 4_000
