"""A run on a cluster that insync did not start: what it may do there, and what it cannot know."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from psutil import Process

from commands import insync, insync_json, invoke_refused
from insync.brokers.cluster.admin import client, create_topic
from insync.testing import KafkaCluster
from waiting import wait_for

SCENARIO = Path(__file__).parents[2] / "data" / "existing" / "stalled.toml"
OWN = "not-of-insync"
FLAG = "-Dinsync.test=brokers"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[KafkaCluster, Path]]:
    """Start brokers with the agent and the shim; the runs get addresses and files only."""
    folder = tmp_path_factory.mktemp("existing") / "kafka"
    wanted: dict[str, Any] = {"plugin": "request", "faults": ["stall"], "folder": folder}
    with KafkaCluster(cluster="local", jvm=[FLAG], **wanted) as kafka:
        create_topic(kafka.bootstrap, OWN, [[1, 2, 3]], {})
        yield kafka, folder


def test_brokers_alone_have_the_flags_of_their_jvms(cluster: tuple[KafkaCluster, Path]) -> None:
    kafka, _ = cluster
    has = {number: FLAG in Process(node.pid).cmdline() for number, node in kafka.nodes.items()}
    assert has == {1: True, 2: True, 3: True, 100: False}


def topics(kafka: KafkaCluster) -> set[str]:
    """Return all topics but the one that brokers make as soon as a client asks for a group."""
    found = client(kafka.bootstrap).list_topics(timeout=10).topics
    return set(found) - {"__consumer_offsets"}


@pytest.fixture(scope="module")
def run(
    cluster: tuple[KafkaCluster, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, set[str]]:
    """Record a run with a stall; return its folder, and the topics after it."""
    kafka, folder = cluster
    out = tmp_path_factory.mktemp("run") / "out"
    done = insync(
        "run", SCENARIO, "--cluster", "existing", "--bootstrap", kafka.bootstrap,
        "--arms", "request", "--bridges", folder / "bridge", "--controls", folder,
        "--allow-faults", "--record-only", "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # A deleted topic is gone from the controller first, and from brokers' answers soon.
    return out, wait_for(lambda: topics(kafka), lambda seen: len(seen) == 1)


def lines(out: Path, name: str) -> list[dict[str, Any]]:
    text = (out / "events" / "request" / name).read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_only_the_runs_own_topics_are_made_and_deleted(run: tuple[Path, set[str]]) -> None:
    out, after = run
    assert after == {OWN}
    used = {line["topic"] for line in lines(out, "produce-0.jsonl")}
    assert len(used) == 1
    assert used.pop().startswith("insync-")


def test_what_the_run_saw_is_recorded_and_no_address_or_token(run: tuple[Path, set[str]]) -> None:
    out, _ = run
    info = json.loads((out / "run.json").read_text())
    assert (info["cluster"], info["clients_only"], info["kafka"]) == ("existing", True, "4.3.1")
    assert info["brokers"] == [1, 2, 3]
    assert info["scenario"]["broker"]["replica_lag_time_max_ms"] == 30_000
    (fault,) = lines(out, "faults.jsonl")
    assert fault["calls_held"] >= 1
    assert {line["broker"] for line in lines(out, "counters.jsonl")} == {1, 2, 3}
    assert all(line["enabled"] for line in lines(out, "counters.jsonl"))
    assert not list(out.rglob("bridge-*.json"))


def test_the_replicas_can_be_seen_live(cluster: tuple[KafkaCluster, Path]) -> None:
    _, folder = cluster
    (seen,) = insync_json("state", folder / "bridge", "--topic", OWN)
    assert (seen["topic"], [replica["id"] for replica in seen["replicas"]]) == (OWN, [1, 2, 3])


@pytest.mark.parametrize(
    ("arm", "options", "problem"),
    [
        ("request", [], "--arms request: expected --bridges"),
        ("stock", [], "stalled injects stall: expected --allow-faults"),
        ("stock", ["--allow-faults"], "--allow-faults: expected --controls"),
        ("off", ["--allow-faults", "--bridges"], "insync.enable=true, expected false"),
    ],
)
def test_what_cannot_be_done_is_refused_before_a_topic_is_made(
    cluster: tuple[KafkaCluster, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    arm: str, options: list[str], problem: str,
) -> None:  # fmt: skip
    kafka, folder = cluster
    given = [*options, str(folder / "bridge")] if "--bridges" in options else options
    said = invoke_refused(
        capsys, "run", str(SCENARIO), "--cluster", "existing", "--bootstrap", kafka.bootstrap,
        "--arms", arm, "--out", str(tmp_path / "out"), *given,
    )  # fmt: skip
    assert problem in said
    assert topics(kafka) == {OWN}
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_the_verdict_states_what_is_not_known(run: tuple[Path, set[str]]) -> None:
    out, _ = run
    verdict = insync_json("report", out)
    assert verdict["verdict"] == "pass", verdict["reason"]
    assert "not known, without the nodes' files: " in verdict["reason"]
    figures = verdict["arms"]["request"]
    assert (figures["lost"], figures["isr_shrinks"], figures["unplanned_exits"]) == (
        [0], [None], [None],
    )  # fmt: skip
