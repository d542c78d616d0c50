"""Scenarios on containers give the same verdicts as on local processes."""

import json
from pathlib import Path

import docker
import pytest

from commands import insync_json
from insync.brokers.docker import process as docker_process

SITES = ("read-stall", "send-stall", "freeze", "cpu-starved")
ARMS = ("stock", "request")
ON_CONTAINERS = ("--cluster", "docker")


@pytest.mark.long
@pytest.mark.usefixtures("image")
def test_each_site_is_as_expected_on_every_arm(engine: docker.DockerClient, tmp_path: Path) -> None:
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
    marked = {"label": docker_process.OWNER}
    assert not engine.containers.list(all=True, filters=marked, ignore_removed=True)
    assert not engine.networks.list(filters=marked)
