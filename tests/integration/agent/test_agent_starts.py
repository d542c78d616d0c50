"""What the agent says at start, beside other agents, and in a node with both roles."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from insync.artifacts import AGENT_JAR, LAB_JAR
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.formats import new_id
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.ports import free_ports
from insync_bridge import BridgeClient
from kafka_main import run_kafka
from waiting import wait_for

PENDING_READS = "follower.fetch.pending.reads.insync.enable"
SCOPE = "insync.scope"
StartCluster = Callable[..., LocalCluster]

pytestmark = pytest.mark.cluster


def test_the_start_says_what_is_on_and_which_setting_no_one_knows(
    start: StartCluster, agent: AgentSpec
) -> None:
    settings = {PENDING_READS: "true", SCOPE: "request", "insync.relinquish.cooldwn.ms": "1000"}
    cluster = start(brokers=1, agent=agent, settings=settings)
    said = cluster.nodes[1].log.read_text(encoding="utf-8")
    assert f"[insync] broker 1: {PENDING_READS}=true, {SCOPE}=request\n" in said
    meant = "insync.relinquish.cooldown.ms"
    assert f"insync.relinquish.cooldwn.ms is not a config of this broker; expected {meant}?" in said


def test_the_start_says_that_nothing_is_on(start: StartCluster, agent: AgentSpec) -> None:
    cluster = start(brokers=1, agent=agent)
    said = cluster.nodes[1].log.read_text(encoding="utf-8")
    assert f"[insync] broker 1: {PENDING_READS}=false\n" in said


@pytest.mark.parametrize(("choice", "runs"), [("fail", False), ("stock", True)])
def test_a_class_that_another_agent_has_loaded_leaves_the_broker_unwoven(
    java: Java, dist: Distribution, tmp_path: Path, choice: str, runs: bool
) -> None:
    early = eager_agent(java, tmp_path)
    done = run_kafka(
        java, dist, f"-javaagent:{early}", f"-javaagent:{AGENT_JAR}=on-unsupported={choice}"
    )
    assert "kafka.cluster.Partition was loaded before this agent started" in done.stderr
    assert ("USAGE" in done.stdout + done.stderr) is runs
    assert "woven into" not in done.stderr
    assert runs or done.returncode == 2


def test_a_node_with_both_roles_has_one_scope(
    java: Java, dist: Distribution, tmp_path: Path
) -> None:
    """The controller's SocketServer has the broker's id, and no followers."""
    bridge = tmp_path / "bridge.json"
    with combined_node(java, dist, tmp_path, f"bridge={bridge}") as node:
        wait_for(bridge.is_file, bool, 60)
        with BridgeClient.connect(bridge) as broker:
            assert broker.settings()[SCOPE] == "request"
            assert broker.counters().errors == 0
        threads = subprocess.run(
            [java.home / "bin" / "jcmd", str(node.pid), "Thread.print"],
            capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip
    assert threads.count('"insync-leader-clock"') == 1
    assert not bridge.exists(), "a clean stop removes the file"


def eager_agent(java: Java, folder: Path) -> Path:
    """Make an agent that loads a class of the broker."""
    source = folder / "Eager.java"
    source.write_text(
        "public class Eager { public static void premain(String a) throws Exception {"
        ' Class.forName("kafka.cluster.Partition", false, ClassLoader.getSystemClassLoader()); } }'
    )
    manifest = folder / "manifest.txt"
    manifest.write_text("Premain-Class: Eager\n")
    tools = java.home / "bin"
    subprocess.run([tools / "javac", "-d", folder, source], check=True, timeout=60)
    jar = folder / "eager.jar"
    made = [tools / "jar", "cfm", jar, manifest, "-C", folder, "Eager.class"]
    subprocess.run(made, check=True, timeout=60)
    return jar


@contextmanager
def combined_node(
    java: Java, dist: Distribution, folder: Path, options: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run one node that is broker and controller, with scope `request`, and stop it cleanly."""
    client, controller = free_ports(2)
    settings = folder / "server.properties"
    lines = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"CLIENT://127.0.0.1:{client},CONTROLLER://127.0.0.1:{controller}",
        "inter.broker.listener.name": "CLIENT",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(folder / "data"),
        PENDING_READS: "true",
        SCOPE: "request",
    }
    settings.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
    jars = ":".join(str(jar) for jar in dist.jars)
    tool = ["kafka.tools.StorageTool", "format", "-t", new_id(), "-c", str(settings)]
    subprocess.run([java.binary, "-cp", jars, *tool], check=True, timeout=120, capture_output=True)
    with (folder / "node.log").open("wb") as log:
        node = subprocess.Popen(
            [java.binary, "-Xmx256m", f"-javaagent:{AGENT_JAR}=lab={LAB_JAR},{options}",
             "-cp", jars, "kafka.Kafka", str(settings)],
            stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield node
        finally:
            node.terminate()
            try:
                node.wait(60)
            except subprocess.TimeoutExpired:
                node.kill()
                node.wait()
