"""The cache of woven classes: a later start uses it, unless something they depend on changed."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.events import agent_log
from insync_bridge import BridgeClient
from kafka_main import run_kafka
from waiting import wait_for

PENDING_READS = "follower.fetch.pending.reads.insync.enable"
ON_DEMAND = "insync.log.start.fix"
StartCluster = Callable[..., LocalCluster]

pytestmark = pytest.mark.cluster


def test_brokers_that_use_the_cache_mark_fetches(
    java: Java, dist: Distribution, start: StartCluster, agent: AgentSpec, tmp_path: Path
) -> None:
    """A hook on demand is woven into the classes from the cache, too."""
    agent = replace(agent, cache=tmp_path / "cache")
    run_kafka(java, dist, f"-javaagent:{AGENT_JAR}=lab={LAB_JAR},cache={agent.cache}")
    cluster = start(brokers=2, agent=agent, settings={PENDING_READS: "true", ON_DEMAND: "bound"})
    assert used(agent.events_file(2)) == ["used"]
    seen = [event["type"] for event in agent_log.read(agent.events_file(2))]
    assert "hook_added" in seen
    create_topic(cluster.bootstrap, "t", [[2, 1]], {})
    with BridgeClient.connect(agent.bridge_dir / "bridge-2.json") as broker:
        wait_for(lambda: broker.counters().marks_total, bool, 30)
        assert broker.counters().errors == 0
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_what_the_cache_depends_on(java: Java, dist: Distribution, tmp_path: Path) -> None:
    """Each start is complete; the cache is used only if nothing has changed."""
    events, cache = tmp_path / "events.jsonl", tmp_path / "cache"
    options = f"cache={cache},events={events}"

    def begin(jar: Path = AGENT_JAR) -> tuple[str, list[str]]:
        done = run_kafka(java, dist, f"-javaagent:{jar}=lab={LAB_JAR},{options}")
        said = [line for line in done.stderr.splitlines() if line.startswith("[insync]")]
        assert said[-1] == "[insync] woven into Kafka 4.3.1 by adapter v4_2"
        return used(events)[-1], said[:-1]

    assert begin() == ("written", [])
    assert begin() == ("used", [])
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    wrote, (line,) = begin()
    assert wrote == "written"
    assert line == f"[insync] cache {file} is not used and will be written again: it is damaged"
    assert begin() == ("used", [])
    other = Path(shutil.copy(AGENT_JAR, tmp_path / "other.jar"))
    with zipfile.ZipFile(other, "a") as jar:
        jar.writestr("another", "build")
    assert begin(other) == ("written", []), "another build of the agent"
    assert len(list(cache.iterdir())) == 2


def used(events: Path) -> list[str]:
    """Return what each start of an agent did with its cache."""
    return [each["cache"] for each in agent_log.read(events) if each["type"] == agent_log.WOVEN]
