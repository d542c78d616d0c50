"""Kafka builds of the user's own: a folder of jars, and a .tgz as Kafka's build packs it."""

import json
import re
import tarfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import insync, insync_json
from event_lines import read_lines
from every_scenario import resent
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.testing import KafkaCluster
from patched_kafka import patched_libs


def folder_of(dist: Distribution, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file in dist.jars:
        (folder / file.name).symlink_to(file)
    return folder


def packed(dist: Distribution, file: Path) -> Path:
    """Pack the jars of a version as Kafka's build does, but without compressing them again."""
    with tarfile.open(file, "w:gz", compresslevel=0) as content:
        for each in dist.jars:
            content.add(each, f"{file.stem}/libs/{each.name}")
    return file


@pytest.mark.long
def test_a_packed_build_runs_with_the_agent(
    dist: Distribution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSYNC_CACHE", str(tmp_path / "cache"))
    file = packed(dist, tmp_path / "kafka_2.13-4.3.1.tgz")
    with KafkaCluster(
        brokers=1, kafka=str(file), cluster="local", plugin="request", folder=tmp_path / "nodes"
    ):
        events = read_lines(tmp_path / "nodes" / "bridge" / "broker-1.jsonl")
    (installed,) = [event for event in events if event["type"] == "agent_installed"]
    assert installed["broker_version"] == "4.3.1"


def test_a_build_that_does_not_start_is_refused_with_its_own_words(
    dist: Distribution, tmp_path: Path
) -> None:
    libs = folder_of(dist, tmp_path / "libs")
    next(libs.glob("scala-library-*.jar")).unlink()
    with (
        pytest.raises(InsyncError, match=r"kafka 4\.3\.1\+\w{8}: .*scala"),
        KafkaCluster(brokers=1, kafka=str(libs), cluster="local"),
    ):
        pass


@pytest.mark.long
def test_a_build_is_a_version_of_a_matrix(dist: Distribution, tmp_path: Path) -> None:
    libs = folder_of(dist, tmp_path / "libs")
    out = tmp_path / "matrix"
    done = insync(
        "matrix", "--kafka", f"4.3.1,{libs}", "--only", "read-stall", "--arms", "stock,request",
        "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = json.loads((out / "matrix.json").read_text())
    names = {cell["kafka"] for cell in cells}
    assert len(names) == 2
    assert {name.partition("+")[0] for name in names} == {"4.3.1"}
    pages = [page.read_text() for page in out.rglob("report.html")]
    assert any(f"--kafka {libs}" in page for page in pages)


@pytest.mark.long
@pytest.mark.parametrize("scenario", ["read-stall", "send-stall", "dead-follower"])
def test_the_source_patch_is_as_the_scenario_expects_of_the_agent(
    scenario: str, judge: Callable[..., Any], tmp_path: Path
) -> None:
    out, verdict = judged(judge, tmp_path / "run", scenario, "stock,patched")
    assert verdict["verdict"] == "pass", verdict["reason"]
    assert not list(out.glob("events/*/broker-*.jsonl")), "the agent writes these"


@pytest.mark.long
def test_a_slow_leader_of_the_source_patch_asks_to_be_fenced(
    judge: Callable[..., Any], tmp_path: Path
) -> None:
    out, verdict = judged(
        judge, tmp_path / "run", "step-down-read", "stock,patched-fencing", "--scale", "0.25",
    )  # fmt: skip
    assert verdict["verdict"] == "pass", verdict["reason"]
    log = (out / "nodes" / "patched-fencing" / "1" / "stdout.log").read_text(encoding="utf-8")
    said = re.findall(r"(Asking|No longer asking) the controller to fence this broker", log)
    assert said == ["Asking", "No longer asking"]
    assert not list(out.glob("events/*/broker-*.jsonl")), "the agent writes these"


def judged(
    judge: Callable[..., Any], out: Path, scenario: str, arms: str, *options: object
) -> tuple[Path, Any]:
    """Run a scenario on the source patch; again, once, if an arm's client sent records again."""
    for folder in (out, out.with_name(f"{out.name}-again")):
        insync_json(
            "run", scenario, "--kafka", patched_libs(), "--arms", arms, *options,
            "--record-only", "--out", folder,
        )  # fmt: skip
        (verdict,) = judge(folder)
        if not any(resent(facts) for facts in verdict["arms"].values()):
            break
        warnings.warn(f"{scenario}: the client sent records again", stacklevel=2)
    return folder, verdict
