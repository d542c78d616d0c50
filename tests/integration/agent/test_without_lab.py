"""The agent without insync-lab.jar, as a broker in production runs it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

import metrics_page
from insync.artifacts import AGENT_JAR
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from integration.agent.test_metrics import Program, StartCluster, jmx
from kafka_main import run_kafka

pytestmark = pytest.mark.cluster


def test_a_broker_has_the_agents_metrics_and_is_told_what_needs_the_lab(
    start: StartCluster, program: Program
) -> None:
    extras = NodeExtras(flags=[f"-javaagent:{AGENT_JAR}=on-unsupported=fail"])
    settings = {
        "follower.fetch.pending.reads.insync.enable": "true",
        "leader.fetch.process.time.max.ms": "2000",
        "insync.lab.lag.policy": "time",
    }
    cluster = start(brokers=1, extras={1: extras}, settings=settings)
    metrics = jmx(program, cluster.nodes[1].pid, "kafka.*:*", "Value")
    ours = set(map(metrics_page.canonical, metrics_page.names())) & metrics.keys()
    assert "kafka.server:name=Errors,type=InsyncAgent" in ours
    assert {float(metrics[name]) for name in ours if "name=Errors" in name} == {0}
    log = cluster.nodes[1].log.read_text(encoding="utf-8")
    assert "solution 1 is on, scope request; solution 2 is on, T 2000 ms." in log
    unknown = (
        "insync.lab.lag.policy is not a config of this broker; expected the agent's option lab="
    )
    assert unknown in log
    assert "[insync] error" not in log


@pytest.mark.parametrize("option", ["events=/tmp/e", "bridge=/tmp/b", "lab=/none/such.jar"])
def test_the_labs_options_need_its_jar(java: Java, dist: Distribution, option: str) -> None:
    """Whatever on-unsupported says: it is about brokers."""
    flag = f"-javaagent:{AGENT_JAR}=on-unsupported=stock,{option}"
    done = run_kafka(java, dist, flag)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert option in line
    assert "expected" in line
    assert "lab=" in line


def test_a_jar_that_is_not_the_lab_is_refused(
    java: Java, dist: Distribution, tmp_path: Path
) -> None:
    other = tmp_path / "other.jar"
    with zipfile.ZipFile(other, "w") as jar:
        jar.writestr("a", "")
    done = run_kafka(java, dist, f"-javaagent:{AGENT_JAR}=lab={other}")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, f"lab={other}: expected the path" in line) == (2, True)


def test_its_jar_has_no_library_but_byte_buddy() -> None:
    with zipfile.ZipFile(AGENT_JAR) as jar:
        shaded = {name.split("/")[2] for name in jar.namelist() if "insync/shaded/" in name}
    assert shaded - {""} == {"bytebuddy"}
