"""Scenarios on containers give the same verdicts as on local processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docker
import pytest

from commands import insync_json
from insync.brokers.docker import leftovers
from insync.brokers.images.image import Image

SITES = ("read-stall", "send-stall", "freeze", "cpu-starved")
ARMS = ("stock", "request")
ON_CONTAINERS = ("--cluster", "docker")


@pytest.fixture(scope="module")
def runs(image: Image, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Path]]:
    """Record KIP-501's case and a hanging disk, judge both; return verdicts and folders."""
    folder = tmp_path_factory.mktemp("runs")
    planned = {
        folder / "kip-501": ("kip-501", "--scale", "0.2", "--repeat", "1"),
        folder / "disk": ("disk-stall",),
    }
    for out, arguments in planned.items():
        chosen = (*arguments, "--arms", ",".join(ARMS), *ON_CONTAINERS)
        insync_json("run", *chosen, "--record-only", "--out", out)
    return list(zip(insync_json("report", *planned), planned, strict=True))


@pytest.mark.usefixtures("image")
def test_every_site_is_as_expected_on_every_arm(
    engine: docker.DockerClient, tmp_path: Path
) -> None:
    out = tmp_path / "matrix"
    played = ("--only", ",".join(SITES), "--arms", ",".join(ARMS))
    cells = insync_json("matrix", *played, *ON_CONTAINERS, "--out", out)
    named = {(cell["scenario"], cell["arm"]): cell["ok"] for cell in cells}
    assert named == {(site, arm): True for site in SITES for arm in ARMS}
    for site in SITES:
        record = json.loads((out / "4.3.1" / site / "run.json").read_text())
        assert record["cluster"] == "docker"
    marked = {"label": leftovers.OWNER}
    assert not engine.containers.list(all=True, filters=marked, ignore_removed=True)
    assert not engine.networks.list(filters=marked)


def test_kip_501_has_the_verdict_that_it_has_locally(runs: list[tuple[Any, Path]]) -> None:
    verdict, out = runs[0]
    assert verdict["verdict"] == "pass"
    assert verdict["arms"]["stock"]["isr_shrinks"][0] >= 1
    assert verdict["arms"]["request"]["isr_shrinks"] == [0]
    assert "<dd>docker</dd>" in (out / "report.html").read_text(encoding="utf-8")


def test_a_leaders_whole_disk_may_hang(runs: list[tuple[Any, Path]]) -> None:
    verdict, _ = runs[1]
    assert verdict["verdict"] == "pass"
    assert verdict["arms"]["request"]["isr_shrinks"] == [0]
    for arm in ARMS:
        (evidence,) = verdict["arms"][arm]["evidence"]
        assert evidence["fault"] == "disk-stall"
        assert evidence["figures"]["reads"] >= 1
        assert evidence["acted_ms"] >= 4_000
